import { checkValue } from '../../../src/contract/check-value.ts'
import { readQuery } from '../../../src/platform/api/read-input.ts'
import type { Route } from '../../../src/platform/api/route.ts'
import { THINGS } from './things.ts'

/** Members of bodies that name a thing by its id, and where such things are in paths. */
export const NAMED_IN_BODIES: Readonly<Record<string, string>> = {
  account: 'members',
  account_id: 'members',
  accounts: 'accounts',
  ids: 'accounts',
  key: 'keys',
  key_id: 'keys',
  project: 'projects',
  project_id: 'projects',
}

/** Members whose values must differ from request to request. */
const UNIQUE: Readonly<Record<string, () => string>> = {
  domain: () => `${crypto.randomUUID()}.example`,
  email: () => `${crypto.randomUUID()}@example.com`,
  reference: () => crypto.randomUUID(),
  slug: () => `o-${crypto.randomUUID().slice(0, 13)}`,
}

export type ThingName = {
  /** `path` or `body`. */
  readonly place: 'path' | 'body'
  /** The parameter of the path or the member of the body. */
  readonly name: string
  /** The key of `THINGS`. */
  readonly collection: string
}

/** Makes or finds the id of a thing. */
export type IdOf = (thing: ThingName) => Promise<string>

export type ExampleRequest = {
  readonly method: string
  readonly path: string
  readonly body?: object
  /** Whether the body is a form, and not JSON. */
  readonly form?: boolean
}

export function nameOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`
}

const PARAMETER = /^\{(\w+)\}$/

/** The things that a request of this route names, in the order of the path. */
export function thingsOf(route: Route): ThingName[] {
  const segments = route.path.split('/')
  const inPath = segments.flatMap((segment, at): ThingName[] => {
    const name = PARAMETER.exec(segment)?.[1]
    if (name === undefined) return []
    const collection = segments[at - 1] ?? ''
    const ofOperator = `operator/${collection}`
    const special = segments[1] === 'operator' && THINGS[ofOperator] !== undefined
    return [{ place: 'path', name, collection: special ? ofOperator : collection }]
  })
  const members = Object.keys(route.example?.body ?? {})
  const inBody = members.flatMap((name): ThingName[] => {
    const collection = NAMED_IN_BODIES[name]
    return collection === undefined ? [] : [{ place: 'body', name, collection }]
  })
  return [...inPath, ...inBody]
}

/** What keeps a route from being tested; undefined if nothing does. */
export function whyUntestable(route: Route): string | undefined {
  const unknown = thingsOf(route).find(({ collection }) => THINGS[collection] === undefined)
  if (unknown !== undefined)
    return `no fixture makes a thing of /${unknown.collection}: add it to test/harness/routes`
  const { query, body } = route.example ?? {}
  try {
    readQuery(query ?? '', route.query)
    if (route.body !== null) checkValue(route.body, body ?? {})
  } catch (error) {
    const { message } = error as Error
    return `its example does not fit its schema: give it a valid example (${message})`
  }
  return undefined
}

/** The example of a route, with real ids instead of those that it shows. */
export async function exampleRequest(route: Route, idOf: IdOf): Promise<ExampleRequest> {
  let path = route.path
  const body: Record<string, unknown> = { ...route.example?.body }
  for (const name of Object.keys(body)) body[name] = UNIQUE[name]?.() ?? body[name]
  for (const thing of thingsOf(route)) {
    const id = await idOf(thing)
    if (thing.place === 'path') path = path.replace(`{${thing.name}}`, encodeURIComponent(id))
    else body[thing.name] = Array.isArray(body[thing.name]) ? [id] : id
  }
  const query = route.example?.query
  return {
    method: route.method,
    path: query === undefined ? path : `${path}?${query}`,
    ...(route.body !== null && { body, form: route.form === true }),
  }
}
