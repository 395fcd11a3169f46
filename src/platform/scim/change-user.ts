import type { Transaction } from 'kysely'
import type { ScimPatch, ScimUserBody } from '../../contract/scim/requests.ts'
import {
  deleteScimUser,
  findScimUser,
  storeScimUser,
  type ScimUser,
} from '../../store/people/scim-users.ts'
import type { AuditChanges } from '../../store/postgres/platform-tables.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { lockAccount } from '../../store/tenants/accounts.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { notFound } from '../use-case/authorize.ts'
import type { Environment } from '../use-case/environment.ts'
import { defineChange, type Change } from '../use-case/use-case.ts'
import { ROLE_WITHOUT_GROUP, readGivenRoles } from './given-roles.ts'
import {
  beginMembership,
  checkVerifiedAddress,
  endMembership,
  type Provisioned,
  type Provisioning,
} from './scim-membership.ts'
import { scimRoot } from './scim-root.ts'
import { changesOfBody, changesOfPatch, type UserChanges } from './user-changes.ts'
import { viewUser } from './view-user.ts'

const CHANGE = { action: 'scim_user.change', permission: 'people:provision' } as const

type Named = { readonly id: string }

export const replaceUser = defineChange(
  CHANGE,
  ({ environment, transaction, access }, { id, body }: Named & { readonly body: ScimUserBody }) =>
    change(environment, transaction, access.organization.id, id, changesOfBody(body)),
)

export const patchUser = defineChange(
  CHANGE,
  ({ environment, transaction, access }, { id, body }: Named & { readonly body: ScimPatch }) =>
    change(environment, transaction, access.organization.id, id, changesOfPatch(body.Operations)),
)

/** The membership ends. The account stays: it is the person's, and may have other organizations. */
export const deleteUser = defineChange(
  { action: 'scim_user.delete', permission: 'people:provision' },
  async ({ environment, transaction, access }, { id }: Named) => {
    const { id: organizationId } = access.organization
    const user = await lockUser(transaction, organizationId, id)
    const provisioning = { environment, transaction, organizationId }
    const ended = user.state === 'active' ? await endMembership(provisioning, user) : NOTHING
    await deleteScimUser(transaction, { organizationId, accountId: user.id })
    return {
      value: undefined,
      target: { kind: 'member', id: user.id, label: user.email },
      changes: { user_name: [user.userName, null], ...ended.changes },
      raised: ended.raised,
    }
  },
)

const NOTHING: Provisioned = { changes: {}, raised: [] }

async function change(
  environment: Environment,
  transaction: Transaction<Tables>,
  organizationId: string,
  id: string,
  { active, ...profile }: UserChanges,
): Promise<Change<object>> {
  const before = await lockUser(transaction, organizationId, id)
  const provisioning = { environment, transaction, organizationId }
  const after = { ...before, ...profile, linked: true }
  const moved = await setActive(provisioning, before, active ?? before.state === 'active')
  const changes = { ...changesBetween(before, after), ...moved.changes }
  const unchanged = Object.keys(changes).length === 0
  if (!unchanged) await storeScimUser(transaction, { organizationId, accountId: before.id }, after)
  const user = (await findScimUser(transaction, organizationId, before.id))!
  return {
    value: viewUser(scimRoot(environment.settings), user),
    target: { kind: 'member', id: before.id, label: before.email },
    changes,
    unchanged,
    raised: moved.raised,
  }
}

/** The account is locked before the organization, as by everything that adds a member. */
async function lockUser(
  transaction: Transaction<Tables>,
  organizationId: string,
  id: string,
): Promise<ScimUser> {
  const found = await findScimUser(transaction, organizationId, id)
  if (found === undefined) throw notFound()
  await lockAccount(transaction, found.id, 'share')
  await lockOrganization(transaction, organizationId)
  const user = await findScimUser(transaction, organizationId, found.id)
  if (user === undefined) throw notFound()
  return user
}

async function setActive(
  provisioning: Provisioning,
  user: ScimUser,
  active: boolean,
): Promise<Provisioned> {
  if ((user.state === 'active') === active) return NOTHING
  if (!active) return endMembership(provisioning, user)
  const { transaction, organizationId } = provisioning
  await checkVerifiedAddress(transaction, organizationId, user.email)
  const given = await readGivenRoles(transaction, organizationId, [user.id])
  return beginMembership(provisioning, user.id, given.get(user.id) ?? ROLE_WITHOUT_GROUP)
}

function changesBetween(before: ScimUser, after: ScimUser): AuditChanges {
  return {
    ...(before.userName !== after.userName && { user_name: [before.userName, after.userName] }),
    ...(before.externalId !== after.externalId && {
      external_id: [before.externalId, after.externalId],
    }),
    ...(nameOf(before) !== nameOf(after) && { name: [nameOf(before), nameOf(after)] }),
    ...(before.linked !== after.linked && { linked: [before.linked, after.linked] }),
  }
}

function nameOf({ displayName, givenName, familyName }: ScimUser): string {
  return [displayName, givenName, familyName].map((part) => part ?? '').join(' / ')
}
