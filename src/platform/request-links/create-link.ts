import type { CreatedRequestLink, NewRequestLink } from '../../contract/management/usage.ts'
import { createRequestLink as store } from '../../store/people/request-links.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { linkWithToken } from '../sign-in/accounts/links.ts'
import { personOf } from '../sign-in/accounts/person-of.ts'
import { createToken } from '../sign-in/identity/token.ts'
import { findExplained } from '../usage/find-explained.ts'
import { ownAccount } from '../usage/own-account.ts'
import { notFound } from '../use-case/authorize.ts'
import { defineChange } from '../use-case/use-case.ts'
import { viewRequestLink } from './view-link.ts'

const DAYS_DEFAULT = 7

type Input = NewRequestLink & { readonly request: string }

/** Makes a link that shows a request to whoever has it. Members link their own requests. */
export const createRequestLink = defineChange(
  { action: 'request_link.create', permission: 'request-links:write' },
  async ({ environment, transaction, access }, { request, days = DAYS_DEFAULT }: Input) => {
    const { account } = personOf(access)
    const own = ownAccount(access)
    const stores = { database: transaction, valkey: environment.valkey }
    const explained = await findExplained(stores, request, access.organization.id)
    if (explained === undefined || (own !== undefined && explained.accountId !== own))
      throw notFound()
    const { id: organizationId } = await lockOrganization(transaction, access.organization.id)
    const { token, hash: tokenHash } = createToken()
    const facts = { organizationId, requestId: explained.id, createdBy: account.id, days }
    const view = viewRequestLink(await store(transaction, { ...facts, tokenHash }))
    const link = linkWithToken(environment.settings, 'explained', token)
    const value: CreatedRequestLink = { ...view, link }
    return {
      value,
      target: { kind: 'request_link', id: view.id },
      changes: { request: [null, view.request], ends_at: [null, view.ends_at] },
    }
  },
)
