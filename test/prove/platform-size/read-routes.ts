import type { Route } from '../../../src/platform/api/route.ts'
import { isOrganizationPermission, isPlatformPermission } from '../../../src/tenancy/permissions.ts'
import { openPerson, type Headers, type TestConsole } from '../../harness/processes/console.ts'
import { askRoute, type RouteAnswer } from '../../harness/routes/ask-route.ts'
import { exampleRequest, type ExampleRequest } from '../../harness/routes/example-request.ts'
import { THINGS, type Place } from '../../harness/routes/things.ts'

export type Reader = { readonly name: string; readonly as: Headers; readonly accountId: string }

export type Readers = {
  readonly owner: Reader
  readonly member: Reader
  readonly operator: Reader
}

/** People of the largest organization; the member owns few of its keys. */
export async function openReaders(
  { postgres }: TestConsole,
  { organizationId }: Place,
): Promise<Readers> {
  const owner = await openPerson(postgres, { organizationId, role: 'owner' })
  const member = await openPerson(postgres, { organizationId, role: 'member' })
  const operator = await openPerson(postgres, { platformRole: 'operator' })
  return {
    owner: { name: 'owner', ...owner },
    member: { name: 'member', ...member },
    operator: { name: 'operator', ...operator },
  }
}

/** Who reads this route: whoever has the most to read, and members where they see their own. */
export function readersOf({ does }: Route, readers: Readers): Reader[] {
  const { permission } = does
  if (isPlatformPermission(permission)) return [readers.operator]
  if (!isOrganizationPermission(permission)) return [readers.owner]
  const ownOnly = ['keys:read', 'usage:read', 'requests:read'].includes(permission)
  return ownOnly ? [readers.owner, readers.member] : [readers.owner]
}

/** The example, a full page, and the page after the first. */
export async function requestsOf(
  { root, postgres }: TestConsole,
  route: Route,
  reader: Reader,
  place: Place,
): Promise<ExampleRequest[]> {
  const example = await exampleRequest(route, ({ collection }) =>
    THINGS[collection]!(postgres.database, place, reader.accountId),
  )
  const properties: Readonly<Record<string, { readonly maximum?: number }>> = route.query.properties
  const requests = [example]
  const with_ = (query: string) => ({
    ...example,
    path: `${example.path}${example.path.includes('?') ? '&' : '?'}${query}`,
  })
  const { limit, after } = properties
  if (limit !== undefined) requests.push(with_(`limit=${limit.maximum ?? ''}`))
  if (after === undefined) return requests
  const { next } = parse(await askRoute(root, example, reader.as))
  return next === undefined || next === null ? requests : [...requests, with_(`after=${next}`)]
}

type Listed = { readonly data?: readonly unknown[]; readonly next?: string | null }

/** How many items an answer has: those of its list, or the lines of an export. */
export function itemsOf(answer: RouteAnswer): number {
  return parse(answer).data?.length ?? answer.text.split('\n').length
}

function parse({ text, headers }: RouteAnswer): Listed {
  const isJson = headers['content-type']?.startsWith('application/json;') ?? false
  return isJson ? (JSON.parse(text) as Listed) : {}
}
