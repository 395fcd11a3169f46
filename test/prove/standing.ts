// Every state of a credential gets its documented answer at every endpoint; nothing else passes.
import { parseArgs } from 'node:util'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import { type Valkey } from '../../src/store/valkey/valkey.ts'
import { openPostgres, type Postgres } from '../../src/store/postgres/postgres.ts'
import { createApiKey } from '../../src/tenancy/api-key.ts'
import { readCredential } from '../../src/tenancy/credential.ts'
import { startPostgres, type PostgresServer } from '../harness/postgres-server.ts'
import { connectValkey, startValkey } from '../harness/valkey.ts'
import { codeOf, openLine, type Exchange, type Line } from '../harness/http-client.ts'
import { openStates, PLANS, type State } from './admission/credential-states.ts'
import { ENDPOINTS, expectedOf, faultOfHeaders } from './admission/expected-standing.ts'
import { fuzzAuthorization } from './admission/fuzz-authorization.ts'
import { forEachLimited } from '../../src/lib/for-each-limited.ts'
import { issuePlayground, REALM, SIGNING_KEYS } from '../harness/playground.ts'
import { startReplicas } from './admission/replicas.ts'
import { createRandom, type Random } from '../harness/random.ts'

const FUZZED = 195_000
const FUZZED_HTTP = 5_000
const SOAK_FACTOR = 10
/** Below the engine's slots: some of these are chat completions. */
const AT_ONCE = 12
const FAULTS_SHOWN = 20
const LOG_POLL_MS = 20
const ANOTHER_KEY = Buffer.alloc(32, 8).toString('base64url')

class Faults {
  count = 0

  add(what: string): void {
    this.count += 1
    if (this.count <= FAULTS_SHOWN) console.log(what)
  }
}

/** Those whom nobody knows, with the code that they get at every endpoint. */
function strangers([some]: readonly State[]): [
  name: string,
  header: string | undefined,
  code: string,
][] {
  if (some === undefined) throw new Error('there are no states')
  const bearer = { ...some, projectId: crypto.randomUUID(), accountId: crypto.randomUUID() }
  const invalid = 'invalid_api_key'
  return [
    ['nobody', undefined, 'missing_api_key'],
    ['an empty header', '', 'missing_api_key'],
    ['a scheme alone', 'Bearer', 'missing_api_key'],
    ['another scheme', `Basic ${some.text}`, 'missing_api_key'],
    ['a key that is unknown', `Bearer ${createApiKey('headrace')}`, invalid],
    ['a key of another service', `Bearer ${createApiKey('other')}`, invalid],
    ['a project that is unknown', `Bearer ${issuePlayground(bearer)}`, invalid],
    ['rubbish', 'Bearer rubbish', invalid],
    [
      'a credential for another root',
      `Bearer ${issuePlayground(bearer, { audience: '/other/v1' })}`,
      invalid,
    ],
    [
      'a credential that another signed',
      `Bearer ${issuePlayground(bearer, { signingKey: ANOTHER_KEY })}`,
      invalid,
    ],
  ]
}

function judge(
  label: string,
  answer: Exchange,
  expected: ReturnType<typeof expectedOf>,
  faults: Faults,
): void {
  const code = codeOf(answer)
  if (answer.status !== expected.status || code !== expected.code)
    faults.add(`${label}: ${answer.status} ${code} and not ${expected.status} ${expected.code}`)
  const fault = faultOfHeaders(answer.headers, expected)
  if (fault !== undefined) faults.add(`${label}: ${answer.status} ${fault}`)
}

/** How many answers were judged, and how many requests of each organization were let in. */
async function judgeMatrix(line: Line, states: readonly State[], faults: Faults) {
  const admitted = new Map<string, number>()
  const statuses = new Map<number, number>()
  const cells = states.flatMap((state) => ENDPOINTS.map((endpoint) => ({ state, endpoint })))
  await forEachLimited(AT_ONCE, cells, async ({ state, endpoint }) => {
    const { organizationId, facts } = state
    const answer = await line.send({ ...endpoint, authorization: `Bearer ${state.text}` })
    const expected = expectedOf(facts, endpoint)
    judge(`${endpoint.name} with ${JSON.stringify(facts)}`, answer, expected, faults)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    if (expected.capacity !== 'none')
      admitted.set(organizationId, (admitted.get(organizationId) ?? 0) + 1)
  })
  const unknown = strangers(states).flatMap((stranger) =>
    ENDPOINTS.map((endpoint) => ({ stranger, endpoint })),
  )
  await forEachLimited(
    AT_ONCE,
    unknown,
    async ({ stranger: [name, authorization, code], endpoint }) => {
      const answer = await line.send({ ...endpoint, authorization })
      const expected = { status: 401, code, retention: undefined, capacity: 'none' } as const
      judge(`${endpoint.name} by ${name}`, answer, expected, faults)
    },
  )
  const shown = [...statuses]
    .toSorted(([one], [other]) => one - other)
    .map(([status, count]) => `${status}×${count}`)
  console.log(`matrix: ${cells.length} cells of known credentials: ${shown.join(' ')}`)
  return { cells: cells.length + unknown.length, admitted }
}

/** What was refused used nothing: the counters hold what was admitted and no more. */
async function judgeCounters(
  valkey: Valkey,
  states: readonly State[],
  admitted: ReadonlyMap<string, number>,
  faults: Faults,
): Promise<void> {
  for (const organizationId of new Set(states.map((state) => state.organizationId))) {
    const { limits } = organizationKeys(organizationId)
    const counted = Number((await valkey.call('HGET', [limits, 'requests_today'])) ?? 0)
    const expected = admitted.get(organizationId) ?? 0
    if (counted !== expected) faults.add(`counted ${counted} requests and not ${expected}`)
  }
}

function fuzzInProcess(random: Random, valid: readonly string[], count: number, faults: Faults) {
  let passed = 0
  for (let made = 0; made < count; made += 1) {
    const { token, kind } = fuzzAuthorization(random, valid)
    const isCredential = readCredential(token, REALM, SIGNING_KEYS, Date.now()) !== undefined
    const may = kind === 'valid' || kind === 'well-formed but unknown'
    if (isCredential !== may) faults.add(`${JSON.stringify(token)} is ${kind}`)
    if (isCredential) passed += 1
  }
  return passed
}

/** Returns how many well-formed keys that nobody has were sent: they alone may reach a query. */
async function fuzzOverHttp(
  line: Line,
  random: Random,
  valid: readonly string[],
  count: number,
  faults: Faults,
): Promise<number> {
  let unknown = 0
  const made = Array.from({ length: count }, () => fuzzAuthorization(random, valid))
  await forEachLimited(AT_ONCE, made, async ({ header, kind }) => {
    if (kind === 'well-formed but unknown') unknown += 1
    const answer = await line.send({ method: 'GET', path: '/models', authorization: header })
    const code = kind === 'missing' ? 'missing_api_key' : 'invalid_api_key'
    const held =
      kind === 'valid' ? answer.status === 200 : answer.status === 401 && codeOf(answer) === code
    if (!held) faults.add(`${JSON.stringify(header)} is ${kind}: ${answer.status} ${answer.text}`)
  })
  return unknown
}

const QUERY_NAMES = new Set(['identity-by-key-hash', 'identity-for-playground'])
const HASH = /^\$1 = '\\x[0-9a-f]{64}'$/
/** Ids and minutes: when keys were last used is written down every few seconds. */
const LAST_USED = /^\$1 = '\{[0-9a-f,-]+\}', \$2 = '\{[-"0-9 :+,]+\}'$/

/** Waits for the log to reach this moment, and returns how long it is then. */
async function logged(server: PostgresServer, { pool }: Postgres): Promise<number> {
  const mark = `select '${crypto.randomUUID()}'`
  await pool.query(mark)
  for (;;) {
    const at = server.statements.findLastIndex(({ text }) => text === mark)
    if (at !== -1) return at
    await new Promise((resolve) => setTimeout(resolve, LOG_POLL_MS))
  }
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { soak: { type: 'boolean', default: false }, seed: { type: 'string' } },
  })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const factor = values.soak ? SOAK_FACTOR : 1
  const random = createRandom(seed)
  const faults = new Faults()
  await using server = await startPostgres({ logStatements: true })
  await using store = await startValkey()
  await using valkey = await connectValkey([store.url])
  await using postgres = openPostgres(server.url)
  const states = await openStates(postgres)
  const stores = { databaseUrl: server.url, valkeyUrls: [store.url] }
  await using replicas = await startReplicas({ count: 1, ...stores, plans: PLANS })
  await using line = openLine(replicas.apis[0]?.apiRoot ?? '', AT_ONCE)

  const { cells, admitted } = await judgeMatrix(line, states, faults)
  await judgeCounters(valkey, states, admitted, faults)
  const matrixFaults = faults.count

  const valid = states
    .filter(({ facts }) => expectedOf(facts, ENDPOINTS[0]!).status === 200)
    .map(({ text }) => text)
  const passed = fuzzInProcess(random, valid, FUZZED * factor, faults)
  const before = await logged(server, postgres)
  const unknown = await fuzzOverHttp(line, random, valid, FUZZED_HTTP * factor, faults)
  const asked = server.statements
    .slice(before + 1, await logged(server, postgres))
    .filter(({ parameters }) => !LAST_USED.test(parameters ?? ''))
  const foreign = asked.filter(
    ({ name, parameters }) => !QUERY_NAMES.has(name ?? '') || !HASH.test(parameters ?? ''),
  )
  for (const { name, parameters } of foreign) faults.add(`the database saw ${name}: ${parameters}`)
  if (asked.length !== unknown) faults.add(`${asked.length} queries for ${unknown} unknown keys`)
  console.log(
    `fuzz: ${passed} credentials among ${FUZZED * factor} headers in process, ` +
      `${unknown} well-formed but unknown keys among ${FUZZED_HTTP * factor} over HTTP`,
  )
  console.log(
    `standing: states=${states.length} cells=${cells} wrong=${matrixFaults} ` +
      `fuzzed=${(FUZZED + FUZZED_HTTP) * factor} passed_wrongly=${faults.count - matrixFaults} ` +
      `queries=${asked.length} foreign_queries=${foreign.length} seed=${seed}`,
  )
  return faults.count === 0
}

process.exitCode = (await main()) ? 0 : 1
