import type { Route } from '../../../src/platform/api/route.ts'
import type { TestConsole } from '../../harness/processes/console.ts'
import { askRoute } from '../../harness/routes/ask-route.ts'
import {
  exampleRequest,
  nameOf,
  thingsOf,
  type ThingName,
} from '../../harness/routes/example-request.ts'
import { THINGS, type Place } from '../../harness/routes/things.ts'
import type { Stage } from './ask-as.ts'
import type { CallerKind } from './callers.ts'
import type { Specified } from './specification.ts'

export type ForeignIds = { readonly requests: number; readonly wrong: readonly string[] }

/** Things of another organization, of nobody, and names that are no ids: the same answer. */
export async function tryForeignIds(
  console_: TestConsole,
  stage: Stage,
  elsewhere: Place,
  route: Route,
  row: Specified,
): Promise<ForeignIds> {
  const { database } = console_.postgres
  const platform = row.who.includes('P')
  const kind: CallerKind = platform ? 'operator' : row.who[0] === 'anyone' ? 'nobody' : 'owner'
  const { as, accountId } = await stage.callerOf(kind, row.scope)
  const wrong: string[] = []
  let requests = 0
  for (const foreign of thingsOf(route)) {
    const make = THINGS[foreign.collection]!
    // An operator, and whoever starts to sign in, may name any organization's things.
    const hasForeign = kind === 'owner'
    const inBody = foreign.place === 'body'
    // Operators may name anything, and the schema of a body refuses what is no id.
    if (inBody && platform) continue
    const ids = [crypto.randomUUID(), ...(inBody ? [] : ['no-such-thing', '\0', '../..'])]
    if (hasForeign) ids.unshift(await make(database, elsewhere, elsewhere.ownerId))
    const answers: string[] = []
    for (const id of ids) {
      const idOf = async (thing: ThingName) =>
        thing.name === foreign.name && thing.place === foreign.place
          ? id
          : stage.thingOf(thing.collection, accountId)
      const answer = await askRoute(console_.root, await exampleRequest(route, idOf), as)
      requests += 1
      answers.push(`${answer.status} ${answer.text.replaceAll(answer.requestId, '')}`)
    }
    const [first = ''] = answers
    const same = answers.every((answer) => answer === first)
    // A browser that returns from a provider is sent to a page, which says what is wrong.
    const refusal = route.status === 303 && kind === 'nobody' ? '303 ' : '404 '
    if (!same || !first.startsWith(refusal))
      wrong.push(
        `${nameOf(route)}: ${foreign.place} ${foreign.name} of another, absent, no id: ` +
          answers.join(' · '),
      )
  }
  return { requests, wrong }
}
