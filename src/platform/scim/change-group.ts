import type { Transaction } from 'kysely'
import { ApiError } from '../../contract/error.ts'
import type { ScimResource } from '../../contract/scim/resources.ts'
import type { ScimGroupBody, ScimPatch } from '../../contract/scim/requests.ts'
import {
  changeScimGroup,
  createScimGroup,
  deleteScimGroup,
  findScimGroup,
  listGroupMembers,
  listScimGroups,
  setGroupMembers,
} from '../../store/people/scim-groups.ts'
import { findVisibleUsers } from '../../store/people/scim-users.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { isUuid } from '../../store/postgres/page.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { notFound } from '../use-case/authorize.ts'
import { defineChange, type Change } from '../use-case/use-case.ts'
import { applyGivenRoles, readGivenRoles } from './given-roles.ts'
import { stateAfterPatch, stateOfBody, type GroupState } from './group-changes.ts'
import { invalid } from './read-patch.ts'
import type { Provisioning } from './scim-membership.ts'
import { scimRoot } from './scim-root.ts'
import { viewGroup } from './view-group.ts'

/** Of one organization. */
const GROUPS_MAX = 1_000

const CHANGE = { action: 'scim_group.change', permission: 'people:provision' } as const

type Named = { readonly id: string }

export const createGroup = defineChange(
  { action: 'scim_group.create', permission: 'people:provision' },
  async ({ environment, transaction, access }, { body }: { readonly body: ScimGroupBody }) => {
    const { id: organizationId } = await lockOrganization(transaction, access.organization.id)
    const { total } = await listScimGroups(transaction, organizationId, { offset: 0, limit: 0 })
    if (total >= GROUPS_MAX)
      throw new ApiError('conflict', `An organization has at most ${GROUPS_MAX} groups.`)
    const after = stateOfBody(body)
    const id = await createScimGroup(transaction, organizationId, after)
    const empty = { ...after, members: [] }
    const made = await store({ environment, transaction, organizationId }, id, empty, after)
    const changes = { name: [null, after.displayName], ...made.changes } as const
    return { ...made, unchanged: false, changes }
  },
)

export const replaceGroup = defineChange(
  CHANGE,
  async ({ environment, transaction, access }, { id, body }: Named & { body: ScimGroupBody }) => {
    const { id: organizationId } = await lockOrganization(transaction, access.organization.id)
    const before = await readState(transaction, organizationId, id)
    const provisioning = { environment, transaction, organizationId }
    return store(provisioning, id, before, stateOfBody(body))
  },
)

export const patchGroup = defineChange(
  CHANGE,
  async ({ environment, transaction, access }, { id, body }: Named & { body: ScimPatch }) => {
    const { id: organizationId } = await lockOrganization(transaction, access.organization.id)
    const before = await readState(transaction, organizationId, id)
    const provisioning = { environment, transaction, organizationId }
    return store(provisioning, id, before, stateAfterPatch(before, body.Operations))
  },
)

export const deleteGroup = defineChange(
  { action: 'scim_group.delete', permission: 'people:provision' },
  async ({ environment, transaction, access }, { id }: Named) => {
    const { id: organizationId } = await lockOrganization(transaction, access.organization.id)
    const before = await readState(transaction, organizationId, id)
    const given = await readGivenRoles(transaction, organizationId, before.members)
    await deleteScimGroup(transaction, id)
    const left = await readGivenRoles(transaction, organizationId, before.members)
    const provisioning = { environment, transaction, organizationId }
    const { changes, raised } = await applyGivenRoles(provisioning, given, left)
    return {
      value: undefined,
      target: { kind: 'scim_group', id, label: before.displayName },
      changes: { members: [before.members.length, 0], ...changes },
      raised,
    }
  },
)

async function readState(
  transaction: Transaction<Tables>,
  organizationId: string,
  id: string,
): Promise<GroupState> {
  const group = await findScimGroup(transaction, organizationId, id)
  if (group === undefined) throw notFound()
  const { displayName, externalId } = group
  const members = (await listGroupMembers(transaction, [group.id])).get(group.id) ?? []
  return { displayName, externalId, members }
}

async function store(
  provisioning: Provisioning,
  id: string,
  before: GroupState,
  after: GroupState,
): Promise<Change<ScimResource>> {
  const { environment, transaction, organizationId } = provisioning
  const added = after.members.filter((member) => !before.members.includes(member))
  const gone = before.members.filter((member) => !after.members.includes(member))
  await checkUsers(transaction, organizationId, added)
  const renamed = before.displayName.toLowerCase() !== after.displayName.toLowerCase()
  const concerned = renamed ? [...before.members, ...added] : [...added, ...gone]
  const unchanged =
    concerned.length === 0 &&
    before.displayName === after.displayName &&
    before.externalId === after.externalId
  const given = await readGivenRoles(transaction, organizationId, concerned)
  if (!unchanged) await changeScimGroup(transaction, id, after)
  await setGroupMembers(transaction, id, after.members)
  const left = await readGivenRoles(transaction, organizationId, concerned)
  const { changes, raised } = await applyGivenRoles(provisioning, given, left)
  const group = (await findScimGroup(transaction, organizationId, id))!
  return {
    value: viewGroup(scimRoot(environment.settings), group, after.members),
    target: { kind: 'scim_group', id, label: after.displayName },
    changes: {
      ...(before.displayName !== after.displayName && {
        name: [before.displayName, after.displayName],
      }),
      ...(before.externalId !== after.externalId && {
        external_id: [before.externalId, after.externalId],
      }),
      ...(added.length > 0 && { members_added: [null, added.length] }),
      ...(gone.length > 0 && { members_removed: [null, gone.length] }),
      ...changes,
    },
    unchanged,
    raised,
  }
}

/** Who joins a group must be a user that the provider sees. */
async function checkUsers(
  transaction: Transaction<Tables>,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  const known = await findVisibleUsers(transaction, organizationId, ids.filter(isUuid))
  if (ids.every((id) => known.has(id))) return
  throw invalid('members', 'must be users of the organization')
}
