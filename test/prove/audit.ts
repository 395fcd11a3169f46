// Every change of the management API writes exactly one audit event in its transaction, also when
// its process is killed; so do failed sign-ins and exports; no secret is in a row, log or error.
// covers: src/platform/** src/store/tenants/** src/store/people/**
import { setTimeout as pause } from 'node:timers/promises'
import type { Route } from '../../src/platform/api/route.ts'
import { ROUTES } from '../../src/platform/api/routes.ts'
import { SCIM_ROUTES } from '../../src/platform/api/scim/scim-routes.ts'
import { openPostgres, type Postgres } from '../../src/store/postgres/postgres.ts'
import { openPerson, PUBLIC_URL } from '../harness/processes/console.ts'
import { startEnvironment } from '../harness/environment.ts'
import { startProcess, type HeadraceProcess } from '../harness/processes/process.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { askRoute, type RouteAnswer } from '../harness/routes/ask-route.ts'
import {
  exampleRequest,
  nameOf,
  whyUntestable,
  type ExampleRequest,
} from '../harness/routes/example-request.ts'
import { OUTCOMES } from '../harness/routes/outcomes.ts'
import { openPlace, THINGS, type Place } from '../harness/routes/things.ts'
import { fixturesUrl, keepChangeLog, readChangeLog, tryToRewrite } from './audit/change-log.ts'
import {
  createSecrets,
  findSecrets,
  collectEmails,
  tokensOf,
  type Secrets,
} from './audit/secrets.ts'
import { proveProvisioning } from './audit/provisioning.ts'
import { proveSignInsAndExports } from './audit/sign-ins.ts'

const PROCESSES = 2
const LANES = 8
/** Requests in all, in equal parts for each change. */
const REQUESTS = 400
const SOAK_REQUESTS = 6_000
const KILL_PAUSE_MS = { min: 300, max: 1_500 }
/** A killed process is back within this. */
const ATTEMPTS_MAX = 200
const ATTEMPT_PAUSE_MS = 100

const SETTINGS = {
  port: 0,
  health_port: 0,
  public_url: PUBLIC_URL,
  email_from: 'headrace@example.com',
  sign_up: 'open',
}

/** What leaves an event although there was nothing to change, and what is not in a row. */
const WITHOUT_ROWS = [
  'account.end_sessions',
  'account.export',
  'account.reset_factors',
  'audit.export',
  'audit.export_platform',
  'content.destroy',
  'playground.open',
  'retention.change',
  'session.end_others',
  'session.refuse',
  'sign_in_rules.set',
  'usage.export',
]

/** The answer does not tell whether anything was changed: it is the same if there is nothing. */
const LATER = [
  'POST /sign-ups',
  'POST /password-resets',
  'POST /revoked-keys',
  'GET /sso/callback/{connection}',
]

type Proof = {
  readonly run: ProofRun
  readonly postgres: Postgres
  readonly consoles: readonly HeadraceProcess[]
  readonly secrets: Secrets
  readonly shared: readonly Place[]
  readonly errors: string[]
  /** Request ids of changes that were answered as made. */
  readonly made: Map<string, string>
  readonly counts: { requests: number; repeated: number; kills: number }
  readonly succeeded: Set<string>
}

/** Sends a request until it is answered, each time to some process. */
async function sendUntilAnswered(
  { consoles, run, counts }: Proof,
  request: ExampleRequest,
  headers: Readonly<Record<string, string>>,
): Promise<RouteAnswer> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const { apiRoot } = run.random.pick(consoles)
    counts.requests += 1
    const answer = await askRoute(apiRoot, request, headers).catch(() => undefined)
    if (answer !== undefined) return answer
    counts.repeated += 1
    // pacing: a client whose server was killed tries again after a moment.
    await pause(ATTEMPT_PAUSE_MS)
  }
  throw new Error(`no answer to ${request.method} ${request.path}`)
}

/** One change by somebody who may make it, in an organization of its own or in a busy one. */
async function change(proof: Proof, route: Route): Promise<void> {
  const { run, postgres, secrets } = proof
  const { database } = postgres
  const place = run.random.chance(0.5) ? await openPlace(database) : run.random.pick(proof.shared)
  const { organizationId } = place
  const facts = { organizationId, role: 'owner', platformRole: 'operator' } as const
  const { as, accountId } = await openPerson(postgres, facts)
  secrets.add(as['cookie']?.split('=')[1] ?? '')
  const example = await exampleRequest(route, ({ collection }) =>
    THINGS[collection]!(database, place, accountId),
  )
  const { body } = example
  const request = { ...example, ...(body !== undefined && { body: secrets.plant(body) }) }
  const once = route.method === 'POST' ? { 'idempotency-key': crypto.randomUUID() } : {}
  const answer = await sendUntilAnswered(proof, request, { ...as, ...once })
  const expected = ['change_not_propagated', ...(OUTCOMES[nameOf(route)] ?? [])]
  if (answer.status >= 500 && !expected.includes(answer.code))
    run.fail(`${nameOf(route)}: answered ${answer.status} ${answer.text}`)
  if (answer.status >= 400) proof.errors.push(answer.text)
  else {
    proof.succeeded.add(nameOf(route))
    if (answer.headers['idempotency-replayed'] !== 'true')
      proof.made.set(answer.requestId, nameOf(route))
    if (route.secret === true && answer.text !== '') secrets.learn(answer.text)
    for (const cookie of answer.cookies) secrets.add(cookie.split(';')[0]?.split('=')[1] ?? '')
  }
}

async function killNowAndThen({ run, consoles, counts }: Proof, done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    // pacing: the time between two kills.
    await pause(run.random.between(KILL_PAUSE_MS.min, KILL_PAUSE_MS.max))
    const console_ = run.random.pick(consoles)
    await console_.kill()
    counts.kills += 1
    await console_.start()
  }
}

async function makeChanges(proof: Proof): Promise<void> {
  const { run } = proof
  const changes = ROUTES.filter(
    // Payments need a provider, and have tests of their own.
    (route) =>
      route.does.kind === 'change' &&
      route.needs === undefined &&
      whyUntestable(route) === undefined,
  )
  const rounds = Math.ceil((run.soak ? SOAK_REQUESTS : REQUESTS) / changes.length)
  const waiting = Array.from({ length: rounds }, () => changes)
    .flat()
    .map((route) => ({ route, order: run.random.between(0, 1_000_000) }))
    .toSorted((one, other) => one.order - other.order)
  const done = new AbortController()
  const killing = killNowAndThen(proof, done.signal)
  const lanes = Array.from({ length: LANES }, async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      await change(proof, next.route)
  })
  await Promise.all(lanes).finally(() => done.abort())
  await killing
}

/** `key` of `key.create`. */
function nounOf(action: string): string {
  return action.split('.')[0] ?? ''
}

/** Compares audit events with changed rows, transaction by transaction. */
async function compare({ run, postgres, made }: Proof): Promise<number> {
  const transactions = await readChangeLog(postgres.pool)
  const known = new Set([...ROUTES, ...SCIM_ROUTES].map(({ does }) => nounOf(does.action)))
  const events = new Map<string, number>()
  const keys = new Set<string>()
  for (const { tables, actions, requestIds, idempotencyKeys, twice } of transactions) {
    if (twice) run.fail(`${actions.join()} was written twice for an organization`)
    if (tables.length > 0 && actions.length !== 1)
      run.fail(`a change of ${tables.join(', ')} wrote ${actions.length} events: ${actions.join()}`)
    if (tables.length === 0 && actions.some((action) => !WITHOUT_ROWS.includes(action)))
      run.fail(`${actions.join()} was written without a change`)
    for (const action of actions)
      if (!known.has(nounOf(action))) run.fail(`no use case is called ${action}`)
    for (const id of requestIds) events.set(id, (events.get(id) ?? 0) + 1)
    for (const key of idempotencyKeys) {
      if (keys.has(key)) run.fail(`an idempotency key was claimed twice`)
      keys.add(key)
    }
  }
  const seen = new Set<string>()
  for (const [requestId, name] of made) {
    const count = events.get(requestId) ?? 0
    if (count > 0) seen.add(name)
    if (count > 1) run.fail(`${name} wrote ${count} events`)
  }
  // Repeating a change may change nothing, but not each time.
  for (const name of new Set(made.values()))
    if (!seen.has(name) && !LATER.includes(name)) run.fail(`${name} never wrote an event`)
  return transactions.reduce((sum, { actions }) => sum + actions.length, 0)
}

async function prove(run: ProofRun) {
  await using stack = new AsyncDisposableStack()
  const logs: string[] = []
  const emails = stack.use(await collectEmails())
  const environment = stack.use(
    await startEnvironment({ valkey: 'own', sections: { console: SETTINGS } }),
  )
  const { databaseUrl, valkeyUrls, file } = environment
  const postgres = stack.use(
    openPostgres(fixturesUrl(databaseUrl), { connectionsMax: LANES, queryTimeoutMs: 30_000 }),
  )
  const options = {
    databaseUrl,
    valkeyUrls,
    file,
    environment: { HEADRACE_SMTP_URL: emails.url },
    onLog: (line: string) => void logs.push(line),
  }
  const consoles = await Promise.all(
    Array.from({ length: PROCESSES }, async () =>
      stack.use(await startProcess('console', options)),
    ),
  )
  await keepChangeLog(postgres.pool)
  const proof: Proof = {
    run,
    postgres,
    consoles,
    secrets: createSecrets(),
    shared: await Promise.all(Array.from({ length: 3 }, () => openPlace(postgres.database))),
    errors: [],
    made: new Map(),
    counts: { requests: 0, repeated: 0, kills: 0 },
    succeeded: new Set(),
  }
  await makeChanges(proof)
  const password = `Canary-${crypto.randomUUID()}`
  proof.secrets.add(password)
  const root = () => run.random.pick(consoles).apiRoot
  const seen = await proveSignInsAndExports({ run, postgres, root }, password)
  const provisioned = await proveProvisioning({
    run,
    postgres,
    root,
    learn: (secret) => proof.secrets.add(secret),
    note: (requestId, name) => proof.made.set(requestId, name),
  })
  const events = await compare(proof)
  for (const statement of await tryToRewrite(postgres.pool)) run.fail(`allowed: ${statement}`)
  for (const token of emails.texts.flatMap(tokensOf)) proof.secrets.add(token)
  const { errors, secrets } = proof
  const scan = await findSecrets(postgres.pool, secrets.all, { logs, errors })
  for (const place of scan.found) run.fail(`a secret is in ${place}`)
  const changes = ROUTES.filter(({ does, needs }) => does.kind === 'change' && needs === undefined)
  const idle = changes.map(nameOf).filter((name) => !proof.succeeded.has(name))
  if (idle.length > 0) console.log(`never succeeded: ${idle.join(', ')}`)
  return {
    use_cases: changes.length,
    never_made: idle.length,
    ...proof.counts,
    ...seen,
    ...provisioned,
    events,
    emails: emails.texts.length,
    secrets: secrets.size,
    scanned_mb: (scan.bytes / 1e6).toFixed(1),
  }
}

await runProof('audit', prove)
