// Every state of a credential gets its documented answer at every endpoint; nothing else passes.
// covers: src/inference/identify.ts src/inference/admit.ts src/tenancy/** src/store/tenants/**
import { forEachLimited } from '../../src/lib/for-each-limited.ts'
import type { Valkey } from '../../src/store/valkey/valkey.ts'
import { createApiKey } from '../../src/tenancy/api-key.ts'
import { readCredential } from '../../src/tenancy/credential.ts'
import { startEnvironment } from '../harness/environment.ts'
import { codeOf, openLine, type Line } from '../harness/clients/http-client.ts'
import { issuePlayground, REALM, SIGNING_KEYS } from '../harness/clients/playground.ts'
import { startPostgres } from '../harness/servers/postgres-server.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { readStored } from '../harness/seed/stored-limits.ts'
import { openStates, PLANS, type State } from './standing/credential-states.ts'
import { ENDPOINTS, expectedOf, findMistake } from './standing/expected-answers.ts'
import { fuzzAuthorization } from './standing/fuzz-authorization.ts'

const FUZZED = 195_000
const FUZZED_HTTP = 5_000
const SOAK_FACTOR = 10
/** Below the engine's slots: some of these are chat completions. */
const AT_ONCE = 12
const ANOTHER_KEY = Buffer.alloc(32, 8).toString('base64url')

const LOOKUPS = new Set([
  'identity-by-key-hash',
  'identities-by-key-hash',
  'identity-for-playground',
])
/** A look-up reads the hashes of one or several keys. */
const HASHES = /^\$1 = '(?:\\x[0-9a-f]{64}|\{(?:"\\\\x[0-9a-f]{64}",?)+\})'$/
const HASH = /[0-9a-f]{64}/g
/** Ids and minutes: when keys were last used is written every few seconds. */
const LAST_USED = /^\$1 = '\{[0-9a-f,-]+\}', \$2 = '\{[-"0-9 :+,]+\}'$/

type Stranger = readonly [name: string, header: string | undefined, code: string]

/** Headers without a known credential, and the code that each gets at every endpoint. */
function strangers(state: State): Stranger[] {
  const { organizationId, text } = state
  const ids = { projectId: crypto.randomUUID(), accountId: crypto.randomUUID() }
  const issue = (changes: Parameters<typeof issuePlayground>[1]) =>
    `Bearer ${issuePlayground({ organizationId, ...ids }, changes)}`
  const invalid = 'invalid_api_key'
  return [
    ['no header', undefined, 'missing_api_key'],
    ['an empty header', '', 'missing_api_key'],
    ['a scheme alone', 'Bearer', 'missing_api_key'],
    ['another scheme', `Basic ${text}`, 'missing_api_key'],
    ['an unknown key', `Bearer ${createApiKey('headrace')}`, invalid],
    ['a key of another service', `Bearer ${createApiKey('other')}`, invalid],
    ['an unknown project', issue({}), invalid],
    ['rubbish', 'Bearer rubbish', invalid],
    ['a credential for another API root', issue({ audience: '/other/v1' }), invalid],
    ['a credential signed with another key', issue({ signingKey: ANOTHER_KEY }), invalid],
  ]
}

/** Returns the number of answers, and how many requests of each organization were admitted. */
async function judgeMatrix(run: ProofRun, line: Line, states: readonly State[]) {
  const admitted = new Map<string, number>()
  const statuses = new Map<number, number>()
  const cells = states.flatMap((state) => ENDPOINTS.map((endpoint) => ({ state, endpoint })))
  await forEachLimited(AT_ONCE, cells, async ({ state, endpoint }) => {
    const { organizationId, facts } = state
    const answer = await line.send({ ...endpoint, authorization: `Bearer ${state.text}` })
    const expected = expectedOf(facts, endpoint)
    const mistake = findMistake(answer, expected)
    if (mistake !== undefined)
      run.fail(`${endpoint.name} with ${JSON.stringify(facts)}: ${mistake}`)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    if (expected.dimensions.length > 0)
      admitted.set(organizationId, (admitted.get(organizationId) ?? 0) + 1)
  })
  const unknown = strangers(states[0]!).flatMap((stranger) =>
    ENDPOINTS.map((endpoint) => ({ stranger, endpoint })),
  )
  await forEachLimited(AT_ONCE, unknown, async ({ stranger, endpoint }) => {
    const [name, authorization, code] = stranger
    const answer = await line.send({ ...endpoint, authorization })
    const expected = { status: 401, code, retention: undefined, dimensions: [] }
    const mistake = findMistake(answer, expected)
    if (mistake !== undefined) run.fail(`${endpoint.name} with ${name}: ${mistake}`)
  })
  const shown = [...statuses]
    .toSorted(([one], [other]) => one - other)
    .map(([status, count]) => `${status}×${count}`)
  console.log(`matrix: ${cells.length} cells of known credentials: ${shown.join(' ')}`)
  return { cells: cells.length + unknown.length, admitted }
}

/** A rejected request used nothing: the counters show what was admitted and no more. */
async function judgeCounters(
  run: ProofRun,
  valkey: Valkey,
  states: readonly State[],
  admitted: ReadonlyMap<string, number>,
): Promise<void> {
  for (const organizationId of new Set(states.map((state) => state.organizationId))) {
    const { requestsToday } = await readStored(valkey, organizationId)
    const expected = admitted.get(organizationId) ?? 0
    if (requestsToday !== expected)
      run.fail(`counted ${requestsToday} requests and not ${expected}`)
  }
}

/** Returns how many headers contained a credential that may be looked up. */
function fuzzInProcess(run: ProofRun, valid: readonly string[], count: number): number {
  let passed = 0
  for (let made = 0; made < count; made += 1) {
    const { token, kind } = fuzzAuthorization(run.random, valid)
    const isCredential = readCredential(token, REALM, SIGNING_KEYS, Date.now()) !== undefined
    const mayPass = kind === 'valid' || kind === 'well-formed but unknown'
    if (isCredential !== mayPass) run.fail(`${JSON.stringify(token)} is ${kind}`)
    if (isCredential) passed += 1
  }
  return passed
}

/** Returns how many well-formed but unknown keys were sent: only these may cause a query. */
async function fuzzOverHttp(run: ProofRun, line: Line, valid: readonly string[], count: number) {
  let unknown = 0
  const made = Array.from({ length: count }, () => fuzzAuthorization(run.random, valid))
  await forEachLimited(AT_ONCE, made, async ({ header, kind }) => {
    if (kind === 'well-formed but unknown') unknown += 1
    const answer = await line.send({ method: 'GET', path: '/models', authorization: header })
    const { status } = answer
    const code = kind === 'missing' ? 'missing_api_key' : 'invalid_api_key'
    const held = kind === 'valid' ? status === 200 : status === 401 && codeOf(answer) === code
    if (!held) run.fail(`${JSON.stringify(header)} is ${kind}: ${status} ${answer.text}`)
  })
  return unknown
}

function hashesIn({ parameters = '' }: { readonly parameters?: string | undefined }): string[] {
  return parameters.match(HASH) ?? []
}

await runProof('standing', async (run) => {
  const factor = run.soak ? SOAK_FACTOR : 1
  await using server = await startPostgres({ logStatements: true })
  const stores = { databaseUrl: server.url, valkey: 'own' } as const
  await using environment = await startEnvironment({ ...stores, plans: PLANS })
  const { postgres, valkey } = environment
  const states = await openStates(postgres)
  const api = await environment.startApi()
  await using line = openLine(api.apiRoot, AT_ONCE)

  const { cells, admitted } = await judgeMatrix(run, line, states)
  await judgeCounters(run, valkey, states, admitted)
  const wrong = run.failures.length

  const valid = states
    .filter(({ facts }) => expectedOf(facts, ENDPOINTS[0]!).status === 200)
    .map(({ text }) => text)
  const passed = fuzzInProcess(run, valid, FUZZED * factor)
  const before = await server.countStatements()
  const unknown = await fuzzOverHttp(run, line, valid, FUZZED_HTTP * factor)
  // Identities that the matrix made known are refreshed after a minute.
  const known = new Set(server.statements.slice(0, before).flatMap(hashesIn))
  const made = server.statements
    .slice(before, await server.countStatements())
    .filter(({ parameters = '' }) => !LAST_USED.test(parameters))
  const foreign = made.filter(
    ({ name, parameters }) => !LOOKUPS.has(name ?? '') || !HASHES.test(parameters ?? ''),
  )
  const asked = made.flatMap(hashesIn).filter((hash) => !known.has(hash))
  for (const { name, parameters } of foreign) run.fail(`the database saw ${name}: ${parameters}`)
  if (asked.length !== unknown) run.fail(`${asked.length} look-ups for ${unknown} unknown keys`)
  console.log(
    `fuzz: ${passed} credentials among ${FUZZED * factor} headers in process, ` +
      `${unknown} well-formed but unknown keys among ${FUZZED_HTTP * factor} over HTTP`,
  )
  return {
    states: states.length,
    cells,
    wrong,
    fuzzed: (FUZZED + FUZZED_HTTP) * factor,
    passed_wrongly: run.failures.length - wrong,
    lookups: asked.length,
    foreign_queries: foreign.length,
  }
})
