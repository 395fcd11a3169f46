import type { Route } from '../../../src/platform/api/route.ts'
import type { TestConsole } from '../../harness/processes/console.ts'
import { askRoute, type RouteAnswer } from '../../harness/routes/ask-route.ts'
import { exampleRequest, type IdOf } from '../../harness/routes/example-request.ts'
import { openPlace, THINGS, type Place } from '../../harness/routes/things.ts'
import { CALLERS, type Caller, type CallerKind } from './callers.ts'

/** Callers and things that no request changes, each made once. */
export type Stage = {
  readonly place: Place
  callerOf(kind: CallerKind, scope: string | null): Promise<Caller>
  /** The id of a thing in the place that belongs to the account. */
  thingOf(collection: string, accountId: string): Promise<string>
}

export async function openStage({ postgres }: TestConsole): Promise<Stage> {
  const place = await openPlace(postgres.database)
  const callers = new Map<string, Promise<Caller>>()
  const things = new Map<string, Promise<string>>()
  return {
    place,
    callerOf: (kind, scope) =>
      once(callers, `${kind} ${scope}`, () => CALLERS[kind](postgres, place, scope)),
    thingOf: (collection, accountId) =>
      once(things, `${collection} ${accountId}`, () =>
        THINGS[collection]!(postgres.database, place, accountId),
      ),
  }
}

function once<Value>(
  known: Map<string, Promise<Value>>,
  name: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const value = known.get(name) ?? make()
  known.set(name, value)
  return value
}

export type Asked = RouteAnswer & {
  /** The things of somebody else that the route is about. */
  readonly othersIds: readonly string[]
}

const OWNED = ['keys', 'requests', 'request-links', 'sessions', 'passkeys']

/** Sends the example of a route as one kind of caller. */
export async function askAs(
  { root }: TestConsole,
  stage: Stage,
  route: Route,
  kind: CallerKind,
  scope: string | null,
): Promise<Asked> {
  const { as, accountId } = await stage.callerOf(kind, scope)
  const ownerId = kind === 'member, of another' ? stage.place.ownerId : accountId
  const idOf: IdOf = ({ collection }) => stage.thingOf(collection, ownerId)
  const others = OWNED.filter((collection) => route.path.includes(`/${collection}`))
  const othersIds = await Promise.all(
    others.map((collection) => stage.thingOf(collection, stage.place.ownerId)),
  )
  return { ...(await askRoute(root, await exampleRequest(route, idOf), as)), othersIds }
}

/** Whether the route is about one thing that a member may own. */
export function namesOwned({ path }: Route): boolean {
  return OWNED.some((collection) => path.includes(`/${collection}/{`))
}
