import { listOfResources } from '../../contract/scim/resources.ts'
import type { ScimQuery } from '../../contract/scim/requests.ts'
import { findScimGroup, listGroupMembers, listScimGroups } from '../../store/people/scim-groups.ts'
import { notFound } from '../use-case/authorize.ts'
import { defineRead } from '../use-case/use-case.ts'
import { readFilter } from './read-filter.ts'
import { chooseAttributes, readScimPage, RESULTS_MAX, wants } from './read-query.ts'
import { scimRoot } from './scim-root.ts'
import { viewGroup } from './view-group.ts'

/** Groups of one answer that have their members with them: these can be many. */
const WITH_MEMBERS_MAX = 10

export const listGroups = defineRead(
  { action: 'scim_group.list', permission: 'people:provision' },
  async ({ environment, database, access }, query: ScimQuery) => {
    const filter = readFilter(query.filter, ['displayName', 'externalId', 'id'])
    const withMembers = wants(query, 'members')
    const { startIndex, page } = readScimPage(query, withMembers ? WITH_MEMBERS_MAX : RESULTS_MAX)
    const { id } = access.organization
    const { total, groups } = await listScimGroups(database, id, page, filter)
    const root = scimRoot(environment.settings)
    const ids = withMembers ? groups.map((group) => group.id) : []
    const members = await listGroupMembers(database, ids)
    const shown = groups.map((group) =>
      chooseAttributes(viewGroup(root, group, members.get(group.id) ?? []), query),
    )
    return listOfResources(shown, { total, startIndex })
  },
)

export const getGroup = defineRead(
  { action: 'scim_group.read', permission: 'people:provision' },
  async ({ environment, database, access }, { id, query }: Asked) => {
    const group = await findScimGroup(database, access.organization.id, id)
    if (group === undefined) throw notFound()
    const ids = wants(query, 'members') ? [group.id] : []
    const members = (await listGroupMembers(database, ids)).get(group.id) ?? []
    return chooseAttributes(viewGroup(scimRoot(environment.settings), group, members), query)
  },
)

type Asked = { readonly id: string; readonly query: ScimQuery }
