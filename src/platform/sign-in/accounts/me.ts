import { knownLanguage } from '../../../contract/language.ts'
import { ApiError } from '../../../contract/error.ts'
import type { Me, MeChange } from '../../../contract/management/account.ts'
import { changeOwnAccount, readAccount } from '../../../store/people/own-account.ts'
import { findPassword } from '../../../store/sign-in/passwords.ts'
import { readSignInFacts } from '../../../store/sign-in/sign-in-facts.ts'
import type { AccountRow } from '../../../store/postgres/tables.ts'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../store/postgres/tables.ts'
import type { Environment } from '../../use-case/environment.ts'
import { mayCreateOrganizations } from './own-organizations.ts'
import { mustHaveFactor } from '../sessions/session-rules.ts'
import { defineChange, defineRead } from '../../use-case/use-case.ts'
import { personOf } from './person-of.ts'

/** The account of whoever asks, and what is still missing of it. */
export const showMe = defineRead(
  { action: 'account.show_own', permission: 'self' },
  async ({ environment, database, access }) => {
    const row = await readAccount(database, personOf(access).account.id)
    return viewMe(environment, database, row)
  },
)

export const changeMe = defineChange(
  { action: 'account.change', permission: 'self' },
  async ({ environment, transaction, access }, asked: MeChange) => {
    const { account } = personOf(access)
    const { waiting_note: note } = asked
    if (note !== undefined && account.state !== 'waiting')
      throw new ApiError('conflict', 'This account does not wait for access.')
    const { waiting_note: noteBefore } = await readAccount(transaction, account.id)
    const row = await changeOwnAccount(transaction, account.id, {
      ...asked,
      ...(note !== undefined && { waitingNote: note }),
    })
    return {
      value: await viewMe(environment, transaction, row),
      target: { kind: 'account', id: row.id, label: row.email },
      changes: {
        ...(asked.name !== undefined && { name: [account.name, row.name] as const }),
        ...(asked.language !== undefined && {
          language: [account.language, row.language] as const,
        }),
        // That there is one: what it says is the person's.
        ...(note !== undefined && {
          waiting_note: [noteBefore !== null, row.waiting_note !== null] as const,
        }),
      },
    }
  },
)

export async function viewMe(
  { settings }: Environment,
  database: Kysely<Tables>,
  row: AccountRow,
): Promise<Me> {
  const facts = await readSignInFacts(database, row.id)
  const { terms } = settings.console
  return {
    id: row.id,
    email: row.email,
    email_verified: row.email_verified_at !== null,
    name: row.name,
    state: row.state,
    registered: row.registered_at !== null,
    platform_role: row.platform_role,
    has_password: (await findPassword(database, row.id)) !== null,
    has_totp: facts.hasTotp,
    has_passkey: facts.hasPasskey,
    second_factor_required: mustHaveFactor(settings.console, facts),
    terms: {
      accepted_version: row.terms_version,
      version: terms?.version ?? null,
      url: terms?.url ?? null,
    },
    waiting_note: row.waiting_note,
    language: knownLanguage(row.language),
    may_create_organizations: mayCreateOrganizations(settings.console, row),
    created_at: row.created_at.toISOString(),
  }
}
