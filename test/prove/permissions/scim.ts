import { SCIM_ROUTES } from '../../../src/platform/api/scim/scim-routes.ts'
import type { Route } from '../../../src/platform/api/route.ts'
import type { TestConsole } from '../../harness/processes/console.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { askRoute } from '../../harness/routes/ask-route.ts'
import { nameOf } from '../../harness/routes/example-request.ts'
import { scimRootOf } from '../../harness/servers/scim.ts'
import type { Stage } from './ask-as.ts'
import { CALLER_KINDS, openScimToken, type CallerKind } from './callers.ts'

const SCIM_TOKEN: CallerKind = 'SCIM token'

type Asking = {
  readonly console_: TestConsole
  readonly stage: Stage
  /** Permissions that were asked for, by request. */
  readonly asked: ReadonlyMap<string, readonly string[]>
}

/** Every route of SCIM × every kind of caller: nobody but a token that works gets in. */
export async function tryScim(run: ProofRun, { console_, stage, asked }: Asking) {
  let cases = 0
  for (const route of SCIM_ROUTES) {
    for (const kind of CALLER_KINDS.filter((each) => each !== SCIM_TOKEN)) {
      const { as } = await stage.callerOf(kind, null)
      const { status, text } = await send(console_, route, as)
      cases += 1
      if (status !== 401 || !text.includes('scim:api:messages:2.0:Error'))
        run.fail(`SCIM ${nameOf(route)} as ${kind}: ${status} ${text}`)
    }
    const { as } = await stage.callerOf(SCIM_TOKEN, null)
    const { status, requestId, text } = await send(console_, route, as)
    const permissions = asked.get(requestId) ?? []
    cases += 1
    if (status === 401 || !permissions.includes(route.does.permission))
      run.fail(`SCIM ${nameOf(route)} with a token: ${status} ${text}, asked ${permissions.join()}`)
    const revoked = await openScimToken(console_.postgres, stage.place, { revoked: true })
    cases += 1
    if ((await send(console_, route, revoked)).status !== 401)
      run.fail(`SCIM ${nameOf(route)} with a revoked token was answered`)
  }
  return { scim_routes: SCIM_ROUTES.length, scim_cases: cases }
}

function send({ root }: TestConsole, route: Route, as: Readonly<Record<string, string>>) {
  const path = route.path.replace('{id}', crypto.randomUUID())
  const body = route.body === null ? {} : { body: route.example?.body ?? {} }
  return askRoute(scimRootOf(root), { method: route.method, path, ...body }, as)
}
