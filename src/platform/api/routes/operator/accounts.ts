import {
  AccountChange,
  AccountsQuery,
  Admission,
  Admitted,
  OperatorAccount,
  OperatorAccountDetail,
  ResetLink,
} from '../../../../contract/management/operator-account.ts'
import { listOf } from '../../../../contract/management/schemas.ts'
import { changeAccount } from '../../../sign-in/accounts/change-account.ts'
import { deleteAccount } from '../../../deletion/delete-account.ts'
import { createResetLink } from '../../../sign-in/accounts/password-links.ts'
import { admitAccounts } from '../../../operator/accounts/admit-accounts.ts'
import { endAccountSessions } from '../../../operator/accounts/end-account-sessions.ts'
import { resetFactors } from '../../../operator/accounts/reset-factors.ts'
import { searchAccounts } from '../../../operator/accounts/search-accounts.ts'
import { showAccount } from '../../../operator/accounts/show-account.ts'
import { viewAccount } from '../../../operator/accounts/view-account.ts'
import { defineRoute, type Route } from '../../route.ts'

const ACCOUNTS = '/operator/accounts'
const ACCOUNT = `${ACCOUNTS}/{account}`

export const OPERATOR_ACCOUNT_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: ACCOUNTS,
    summary: 'Search accounts by address, name or id: newest first, waiting ones oldest first.',
    does: searchAccounts,
    query: AccountsQuery,
    status: 200,
    answer: listOf(OperatorAccount),
    input: ({ query }) => query,
    example: { query: 'state=waiting' },
  }),
  defineRoute({
    method: 'POST',
    path: `${ACCOUNTS}/admit`,
    summary: 'Admit accounts from the waiting list. Each person gets an email.',
    does: admitAccounts,
    body: Admission,
    status: 200,
    answer: Admitted,
    input: ({ body }) => body,
    example: { body: { ids: ['019a8c3e-0000-7000-8000-000000000000'], note: 'pilot' } },
  }),
  defineRoute({
    method: 'GET',
    path: ACCOUNT,
    summary: 'Show an account and its organizations.',
    does: showAccount,
    status: 200,
    answer: OperatorAccountDetail,
    input: ({ path }) => ({ account: path['account']! }),
  }),
  defineRoute({
    method: 'PATCH',
    path: ACCOUNT,
    summary: 'Restrict or activate an account, or set its platform role.',
    does: changeAccount,
    body: AccountChange,
    status: 200,
    answer: OperatorAccount,
    input: ({ path, body: { platform_role: platformRole, ...body } }) => ({
      account: path['account']!,
      ...body,
      ...(platformRole !== undefined && { platformRole }),
    }),
    reply: (row) => ({ body: viewAccount(row) }),
    example: { body: { state: 'restricted', note: 'abuse' } },
  }),
  defineRoute({
    method: 'DELETE',
    path: ACCOUNT,
    summary: 'Delete an account for good. Usage, ledger and audit log keep its id, but no name.',
    does: deleteAccount,
    status: 204,
    input: ({ path }) => ({ account: path['account']! }),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${ACCOUNT}/sessions`,
    summary: 'Sign an account out everywhere.',
    does: endAccountSessions,
    status: 204,
    input: ({ path }) => ({ account: path['account']! }),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${ACCOUNT}/factors`,
    summary: 'Remove the passkeys, the authenticator app and the recovery codes of an account.',
    does: resetFactors,
    status: 204,
    input: ({ path }) => ({ account: path['account']! }),
  }),
  defineRoute({
    method: 'POST',
    path: `${ACCOUNT}/reset-link`,
    summary: 'Make a link that sets a new password. It works once, within 24 hours.',
    does: createResetLink,
    status: 201,
    answer: ResetLink,
    secret: true,
    input: ({ path }) => ({ account: path['account']! }),
    reply: ({ link }) => ({ body: { sent: link === null, link } }),
  }),
]
