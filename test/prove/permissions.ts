// Every route of the management API and of SCIM × every kind of caller has the answer that the
// specification says, and the ids of others are answered like ids that do not exist. What somebody
// was given once gives no more than they have now.
// covers: src/platform/** src/contract/management/** src/tenancy/standing.ts
import { subscribe } from 'node:diagnostics_channel'
import { ERRORS, MANAGEMENT_ERRORS } from '../../src/contract/error.ts'
import type { Asked as AskedPermission } from '../../src/platform/use-case/authorize.ts'
import type { Route } from '../../src/platform/api/route.ts'
import { ROUTES } from '../../src/platform/api/routes.ts'
import { NO_PROVIDER, withPayments } from '../harness/payments/payment-settings.ts'
import { startConsole, type TestConsole } from '../harness/processes/console.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { nameOf, whyUntestable } from '../harness/routes/example-request.ts'
import { OUTCOMES } from '../harness/routes/outcomes.ts'
import { openPlace, type Place } from '../harness/routes/things.ts'
import { askAs, namesOwned, openStage, type Asked, type Stage } from './permissions/ask-as.ts'
import { CALLER_KINDS, type CallerKind } from './permissions/callers.ts'
import { tryDataPlane } from './permissions/data-plane.ts'
import { expectedOf } from './permissions/expected.ts'
import { tryForeignIds } from './permissions/foreign-ids.ts'
import { tryGranted } from './permissions/granted.ts'
import { tryScim } from './permissions/scim.ts'
import { SPECIFIED, specifiedName, type Specified } from './permissions/specification.ts'

/** Routes that are tried at once. */
const AT_ONCE = 6

const STATUSES: Readonly<Record<string, number>> = Object.fromEntries(
  Object.values({ ...ERRORS, ...MANAGEMENT_ERRORS }).map(({ code, status }) => [code, status]),
)

/** With these most examples succeed. */
const SETTINGS = {
  sign_up: 'open',
  terms: { version: '1', url: 'https://terms.example' },
} as const

type Proof = {
  readonly run: ProofRun
  readonly console_: TestConsole
  readonly stages: { readonly plain: Stage; readonly consenting: Stage }
  readonly elsewhere: Place
  /** Permissions that were asked for, by request. */
  readonly asked: ReadonlyMap<string, readonly string[]>
  readonly counts: { cases: number; allowed: number; foreign: number }
}

function rememberAsked(): Map<string, string[]> {
  const asked = new Map<string, string[]>()
  subscribe('headrace:authorize', (message) => {
    const { permission, requestId } = message as AskedPermission
    if (requestId !== null) asked.set(requestId, [...(asked.get(requestId) ?? []), permission])
  })
  return asked
}

/** What the caller should get, given what a member owns. */
function expectationOf(route: Route, row: Specified, kind: CallerKind): string {
  const expected = expectedOf(row, kind, route.does.kind === 'read')
  if (kind !== 'member, of another') return expected
  const own = row.who.includes('m:own') || row.who.includes('self')
  if (!own || expected === 'role_required') return expected
  return namesOwned(route) ? 'not_found' : 'allowed'
}

/** A change that is allowed gets callers and things of its own. */
async function stageFor(proof: Proof, kind: CallerKind, changes: boolean): Promise<Stage> {
  if (changes) return openStage(proof.console_)
  return kind === 'support with consent' ? proof.stages.consenting : proof.stages.plain
}

function findWrong(
  proof: Proof,
  route: Route,
  row: Specified,
  kind: CallerKind,
  answer: Asked,
): string | undefined {
  const expected = expectationOf(route, row, kind)
  const { status, code, text, requestId, othersIds } = answer
  const asked = proof.asked.get(requestId) ?? []
  if (expected !== 'allowed')
    return code === expected && status === STATUSES[expected] ? undefined : `expected ${expected}`
  if (!asked.includes(route.does.permission)) return 'answered without asking for its permission'
  const tolerated = OUTCOMES[nameOf(route)] ?? []
  if (status >= 400 && !tolerated.includes(code)) return 'expected to be allowed'
  const restricted = row.who.includes('m:own') && kind.startsWith('member')
  if (restricted && othersIds.some((id) => text.includes(id))) return "shows somebody else's"
  return undefined
}

async function tryRoute(proof: Proof, route: Route): Promise<void> {
  const { run, console_, counts } = proof
  const untestable = whyUntestable(route)
  if (untestable !== undefined) return run.fail(`${nameOf(route)}: ${untestable}`)
  const row = SPECIFIED.get(specifiedName(route))
  if (row === undefined) return run.fail(`${nameOf(route)}: not in the table of the specification`)
  const wrongs = new Map<string, CallerKind[]>()
  for (const kind of CALLER_KINDS) {
    const allowed = expectationOf(route, row, kind) === 'allowed'
    const changes = allowed && route.does.kind === 'change'
    const stage = await stageFor(proof, kind, changes)
    const answer = await askAs(console_, stage, route, kind, row.scope)
    counts.cases += 1
    counts.allowed += allowed ? 1 : 0
    const wrong = findWrong(proof, route, row, kind, answer)
    if (wrong === undefined) continue
    const text = `${wrong}, got ${answer.status} ${answer.text.slice(0, 300)}`
    wrongs.set(text, [...(wrongs.get(text) ?? []), kind])
  }
  for (const [text, kinds] of wrongs) run.fail(`${nameOf(route)}: ${text}: ${kinds.join(', ')}`)
  const foreign = await tryForeignIds(console_, proof.stages.plain, proof.elsewhere, route, row)
  counts.foreign += foreign.requests
  for (const wrong of foreign.wrong) run.fail(wrong)
}

async function prove(run: ProofRun) {
  await using console_ = await startConsole((config) => ({
    ...withPayments(config, NO_PROVIDER),
    console: { ...config.console, ...SETTINGS },
  }))
  const stages = { plain: await openStage(console_), consenting: await openStage(console_) }
  const counts = { cases: 0, allowed: 0, foreign: 0 }
  const elsewhere = await openPlace(console_.postgres.database)
  const proof: Proof = { run, console_, stages, elsewhere, asked: rememberAsked(), counts }
  const only = run.values['only']
  const waiting = ROUTES.filter((route) => only === undefined || nameOf(route).includes(only))
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let route = waiting.shift(); route !== undefined; route = waiting.shift())
      await tryRoute(proof, route)
  })
  await Promise.all(workers)
  const { asked } = proof
  const scim = await tryScim(run, { console_, stage: stages.plain, asked })
  const refused = await tryDataPlane(run)
  const granted = await tryGranted(run)
  const found = new Set(ROUTES.map(specifiedName))
  const missing = [...SPECIFIED.keys()].filter((name) => !found.has(name))
  for (const name of missing) run.fail(`${name}: in the specification, but not in the route table`)
  return {
    routes: ROUTES.length,
    callers: CALLER_KINDS.length,
    cases: counts.cases,
    allowed: counts.allowed,
    foreign_ids: counts.foreign,
    ...scim,
    data_plane_refused: refused,
    ...granted,
  }
}

await runProof('permissions', prove, { only: { type: 'string' } })
