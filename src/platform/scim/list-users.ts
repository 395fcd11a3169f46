import { listOfResources } from '../../contract/scim/resources.ts'
import type { ScimQuery } from '../../contract/scim/requests.ts'
import { findScimUser, listScimUsers } from '../../store/people/scim-users.ts'
import { notFound } from '../use-case/authorize.ts'
import { defineRead } from '../use-case/use-case.ts'
import { readFilter } from './read-filter.ts'
import { chooseAttributes, readScimPage, RESULTS_MAX } from './read-query.ts'
import { scimRoot } from './scim-root.ts'
import { viewUser } from './view-user.ts'

export const listUsers = defineRead(
  { action: 'scim_user.list', permission: 'people:provision' },
  async ({ environment, database, access }, query: ScimQuery) => {
    const filter = readFilter(query.filter, ['userName', 'externalId', 'id'])
    const { startIndex, page } = readScimPage(query, RESULTS_MAX)
    const { id } = access.organization
    const { total, users } = await listScimUsers(database, id, page, filter)
    const root = scimRoot(environment.settings)
    const shown = users.map((user) => chooseAttributes(viewUser(root, user), query))
    return listOfResources(shown, { total, startIndex })
  },
)

export const getUser = defineRead(
  { action: 'scim_user.read', permission: 'people:provision' },
  async ({ environment, database, access }, { id, query }: Asked) => {
    const user = await findScimUser(database, access.organization.id, id)
    if (user === undefined) throw notFound()
    return chooseAttributes(viewUser(scimRoot(environment.settings), user), query)
  },
)

type Asked = { readonly id: string; readonly query: ScimQuery }
