// Four processes together admit what an organization's limits allow, and Valkey says the same.
import { parseArgs } from 'node:util'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import type { Valkey } from '../../src/store/valkey/valkey.ts'
import { startPostgres } from '../harness/postgres-server.ts'
import { connectValkey, startValkey } from '../harness/valkey.ts'
import { codeOf, openLine, type Exchange, type Line } from '../harness/http-client.ts'
import { openKey, openOrganization } from '../harness/tenants.ts'
import { limitsOf } from '../harness/environment.ts'
import { MODEL, startReplicas } from './admission/replicas.ts'
import { countOpen, readStored } from '../harness/stored-limits.ts'
import { createRandom, type Random } from '../harness/random.ts'

const PROCESSES = 4
const LANES_EACH = 8
const FAST_MS = 10_000
const SOAK_MS = 300_000

/** Full at the start and far below what four processes can ask for. */
const REQUESTS_PER_MINUTE = 3_000
const TOKENS_PER_MINUTE = 240_000
const TOKENS_LOW = 40
const TOKENS_HIGH = 200
/** The demo model's bytes per token, by which input is estimated. */
const BYTES_PER_TOKEN = 4

const MINUTE_MS = 60_000
const USED_MIN = 0.99
const RELEASED_MS = 10_000

type Asked = { readonly exchange: Exchange; readonly cost: number }

/** One dimension of the limits: what is asked in it, and what of it counts as let in. */
type Dimension = {
  readonly name: 'requests' | 'tokens'
  readonly limit: number
  ask(line: Line, key: string, random: Random): Promise<Asked>
  isAdmitted(exchange: Exchange): boolean
}

const REQUESTS: Dimension = {
  name: 'requests',
  limit: REQUESTS_PER_MINUTE,
  ask: async (line, key) => ({ exchange: await line.models(key), cost: 1 }),
  isAdmitted: ({ status }) => status === 200,
}

/** A chat completion is admitted before its unlisted parameter is refused: no engine is asked. */
const TOKENS: Dimension = {
  name: 'tokens',
  limit: TOKENS_PER_MINUTE,
  async ask(line, key, random) {
    const cost = random.between(TOKENS_LOW, TOKENS_HIGH)
    const content = 'x'.repeat(cost * BYTES_PER_TOKEN)
    const body = { model: MODEL, messages: [{ role: 'user', content }], unlisted: true }
    const exchange = await line.send({
      method: 'POST',
      path: '/chat/completions',
      authorization: `Bearer ${key}`,
      body: JSON.stringify(body),
    })
    return { exchange, cost }
  },
  isAdmitted: (exchange) => exchange.status === 400 && codeOf(exchange) === 'unsupported_parameter',
}

async function load(
  dimension: Dimension,
  lines: readonly Line[],
  key: string,
  random: Random,
  durationMs: number,
): Promise<Asked[]> {
  const asked: Asked[] = []
  const untilMs = performance.now() + durationMs
  const lane = async (line: Line) => {
    while (performance.now() < untilMs) asked.push(await dimension.ask(line, key, random))
  }
  await Promise.all(lines.flatMap((line) => Array.from({ length: LANES_EACH }, () => lane(line))))
  return asked
}

type Result = { readonly told: string; readonly holds: boolean; readonly share: number }

async function judge(
  dimension: Dimension,
  asked: readonly Asked[],
  valkey: Valkey,
  organizationId: string,
): Promise<Result> {
  const { name, limit } = dimension
  const admitted = asked.filter(({ exchange }) => dimension.isAdmitted(exchange))
  const refused = asked.filter(({ exchange }) => exchange.status === 429)
  const used = admitted.reduce((sum, { cost }) => sum + cost, 0)
  const begun = asked.map(({ exchange }) => exchange.begunMs)
  const ended = asked.map(({ exchange }) => exchange.endedMs)
  // At most the limit and what flowed back between the first moment and the last that could count.
  const boundMost = allowed(limit, least(begun), most(ended))
  const boundLeast = allowed(limit, least(ended), most(begun))
  const stored = await readStored(valkey, organizationId)
  // A record is open while its request runs; those that were refused afterwards are released.
  let open = await countOpen(valkey, organizationId)
  for (const untilMs = performance.now() + RELEASED_MS; open > 0 && performance.now() < untilMs;)
    open = await countOpen(valkey, organizationId)
  const counted = name === 'requests' ? stored.requestsToday : stored.tokensToday
  const checks = {
    'no other answer': admitted.length + refused.length === asked.length,
    'load above the limit': refused.length > 0,
    'within the limit': used <= boundMost,
    'all of the limit': used >= USED_MIN * boundLeast,
    'the store agrees': counted === used && stored.requestsToday === admitted.length,
    'all released': open === 0,
  }
  for (const [check, held] of Object.entries(checks))
    if (!held) console.log(`${name}: not ${check}`)
  const told =
    `${name}_asked=${asked.length} ${name}_used=${used} ${name}_bound=${Math.floor(boundMost)} ` +
    `${name}_stored=${counted} ${name}_open=${open}`
  return { told, holds: Object.values(checks).every(Boolean), share: used / boundMost }
}

function allowed(limit: number, fromMs: number, toMs: number): number {
  return limit + (limit / MINUTE_MS) * (toMs - fromMs)
}

function least(values: readonly number[]): number {
  return values.reduce((low, value) => Math.min(low, value), Infinity)
}

function most(values: readonly number[]): number {
  return values.reduce((high, value) => Math.max(high, value), -Infinity)
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { soak: { type: 'boolean', default: false }, seed: { type: 'string' } },
  })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const random = createRandom(seed)
  await using server = await startPostgres()
  await using store = await startValkey()
  await using valkey = await connectValkey([store.url])
  await using postgres = openPostgres(server.url)
  await using replicas = await startReplicas({
    count: PROCESSES,
    databaseUrl: server.url,
    valkeyUrls: [store.url],
    plans: {
      requests: { models: 'all', limits: limitsOf({ requests_per_minute: REQUESTS_PER_MINUTE }) },
      tokens: { models: 'all', limits: limitsOf({ tokens_per_minute: TOKENS_PER_MINUTE }) },
    },
  })
  await using lines = new AsyncDisposableStack()
  const open = replicas.apis.map(({ apiRoot }) => lines.use(openLine(apiRoot, LANES_EACH)))
  const results: Result[] = []
  for (const dimension of [REQUESTS, TOKENS]) {
    const { id, projectId } = await openOrganization(postgres.database, dimension.name)
    const key = (await openKey(postgres.database, projectId)).text
    const asked = await load(dimension, open, key, random, values.soak ? SOAK_MS : FAST_MS)
    results.push(await judge(dimension, asked, valkey, id))
  }
  const share = Math.min(...results.map((result) => result.share))
  console.log(
    `limits-parallel: processes=${PROCESSES} ${results.map(({ told }) => told).join(' ')} ` +
      `used_share_min=${share.toFixed(4)} seed=${seed}`,
  )
  return results.every(({ holds }) => holds)
}

process.exitCode = (await main()) ? 0 : 1
