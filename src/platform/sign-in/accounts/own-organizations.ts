import type { Transaction } from 'kysely'
import type { NewOwnOrganization, OwnOrganization } from '../../../contract/management/account.ts'
import { ApiError } from '../../../contract/error.ts'
import type { PageQuery } from '../../../contract/management/schemas.ts'
import { countOwned, listOwnOrganizations, readAccount } from '../../../store/people/own-account.ts'
import type { AccountRow, Tables } from '../../../store/postgres/tables.ts'
import { lockAccount } from '../../../store/tenants/accounts.ts'
import { createOrganization } from '../../../store/tenants/organizations.ts'
import type { ActingAccount } from '../../../tenancy/actor.ts'
import { readRefusals } from '../../billing/refusals-of.ts'
import type { ConsoleSettings, Environment } from '../../use-case/environment.ts'
import { readPage } from '../../use-case/page.ts'
import { shortenForOwner } from '../sessions/shorten-for-owner.ts'
import { defineChange, defineRead } from '../../use-case/use-case.ts'
import { personOf } from './person-of.ts'

/** That one person owns and may have created. Beyond it the operator creates them. */
const OWNED_MAX = 20

/** The organizations of whoever asks, with the role there. */
export const listMyOrganizations = defineRead(
  { action: 'organization.list_own', permission: 'self' },
  async ({ environment, database, access }, query: PageQuery) => {
    const { account } = personOf(access)
    const { data, next } = await readPage(
      query,
      (page) => listOwnOrganizations(database, account.id, page),
      (organization) => organization,
      (organization) => organization.id,
    )
    const refusedOf = await readRefusals(environment.settings, database, data)
    const view = (each: (typeof data)[number]): OwnOrganization => {
      const { id, slug, name, plan, role, suspended_reason } = each
      return { id, slug, name, plan, role, refused: refusedOf(each), suspended_reason }
    }
    return { data: data.map(view), next }
  },
)

/** Creates an organization of one's own, on the plan that the operator chose for that. */
export const createOwnOrganization = defineChange(
  { action: 'organization.create', permission: 'self' },
  async ({ environment, transaction, access }, input: NewOwnOrganization) => {
    const { account } = personOf(access)
    checkAdmitted(account)
    if (!account.registered)
      throw new ApiError('onboarding_pending', 'Complete your registration first.')
    const value = await makeOrganization(environment, transaction, account.id, input)
    return {
      value,
      target: { kind: 'organization', id: value.id, label: value.slug },
      organizationId: value.id,
      changes: { name: [null, value.name], plan: [null, value.plan] },
    }
  },
)

export function checkAdmitted({ state }: ActingAccount): void {
  if (state === 'waiting')
    throw new ApiError(
      'platform_access_required',
      'This account is on the waiting list. You get an email when it is admitted.',
    )
}

/** Somebody whom only an invitation let in creates none where everybody else waits. */
export function mayCreateOrganizations(
  { sign_up: mode }: Pick<ConsoleSettings, 'sign_up'>,
  { by_invitation: byInvitation }: Pick<AccountRow, 'by_invitation'>,
): boolean {
  return mode === 'open' || (mode === 'waiting' && !byInvitation)
}

export async function makeOrganization(
  environment: Environment,
  transaction: Transaction<Tables>,
  accountId: string,
  { slug, name }: NewOwnOrganization,
): Promise<OwnOrganization> {
  const { default_plan: plan, console: settings } = environment.settings
  // Of several requests at once each counts what those before it created.
  await lockAccount(transaction, accountId, 'update')
  if (!mayCreateOrganizations(settings, await readAccount(transaction, accountId)))
    throw new ApiError(
      'role_required',
      settings.sign_up === 'closed'
        ? 'Only operators create organizations in this service.'
        : 'You joined by an invitation. Ask the operator to admit you, then you can create one.',
    )
  if ((await countOwned(transaction, accountId, OWNED_MAX)) >= OWNED_MAX)
    throw new ApiError('conflict', `You own ${OWNED_MAX} organizations already.`)
  const row = await createOrganization(transaction, {
    slug,
    name,
    plan,
    retention: 'zero',
    ownerAccountId: accountId,
  })
  await shortenForOwner(environment, transaction, accountId, 'owner')
  const refused = (await readRefusals(environment.settings, transaction, [row]))(row)
  const { id, plan: chosen } = row
  return {
    id,
    slug: row.slug,
    name: row.name,
    plan: chosen,
    role: 'owner',
    refused,
    suspended_reason: null,
  }
}
