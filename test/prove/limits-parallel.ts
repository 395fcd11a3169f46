// Four processes together admit what an organization's limits allow, and Valkey counts the same.
// covers: src/store/limits/** src/store/usage/**
import type { Valkey } from '../../src/store/valkey/valkey.ts'
import { DEMO_MODEL, limitsOf, startEnvironment, type Environment } from '../harness/environment.ts'
import { codeOf, openLine, type Exchange, type Line } from '../harness/clients/http-client.ts'
import { timeUntil } from '../harness/figures/measure.ts'
import { startPostgres } from '../harness/servers/postgres-server.ts'
import { runProof, type Figures, type ProofRun } from '../harness/proof.ts'
import type { Random } from '../harness/figures/random.ts'
import { readOpen, readStored } from '../harness/seed/stored-limits.ts'
import { openKey, type Caller } from '../harness/seed/tenants.ts'

const PROCESSES = 4
const CALLERS_EACH = 8
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

type Asked = { readonly exchange: Exchange; readonly cost: number; readonly wallMs: number }

/** One dimension of the limits: what is asked in it, and which answers count as admitted. */
type Dimension = {
  readonly name: 'requests' | 'tokens' | 'key'
  readonly limit: number
  ask(line: Line, key: string, random: Random): Promise<Omit<Asked, 'wallMs'>>
  isAdmitted(exchange: Exchange): boolean
}

const REQUESTS: Dimension = {
  name: 'requests',
  limit: REQUESTS_PER_MINUTE,
  ask: async (line, key) => ({ exchange: await line.models(key), cost: 1 }),
  isAdmitted: ({ status }) => status === 200,
}

/** The same limit, of an API key whose organization has ample ones. */
const OF_KEY: Dimension = { ...REQUESTS, name: 'key' }

/** A chat completion is admitted before its unlisted parameter is rejected: no engine is asked. */
const TOKENS: Dimension = {
  name: 'tokens',
  limit: TOKENS_PER_MINUTE,
  async ask(line, key, random) {
    const cost = random.between(TOKENS_LOW, TOKENS_HIGH)
    const content = 'x'.repeat(cost * BYTES_PER_TOKEN)
    const body = { model: DEMO_MODEL, messages: [{ role: 'user', content }], unlisted: true }
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
  { soak, random }: ProofRun,
  dimension: Dimension,
  lines: readonly Line[],
  key: string,
): Promise<Asked[]> {
  const asked: Asked[] = []
  const untilMs = performance.now() + (soak ? SOAK_MS : FAST_MS)
  const call = async (line: Line) => {
    while (performance.now() < untilMs) {
      const answered = await dimension.ask(line, key, random)
      asked.push({ ...answered, wallMs: Date.now() - performance.now() })
    }
  }
  await Promise.all(lines.flatMap((line) => Array.from({ length: CALLERS_EACH }, () => call(line))))
  return asked
}

async function judge(
  run: ProofRun,
  dimension: Dimension,
  asked: readonly Asked[],
  valkey: Valkey,
  organizationId: string,
): Promise<{ readonly figures: Figures; readonly share: number }> {
  const { name, limit } = dimension
  const admitted = asked.filter(({ exchange }) => dimension.isAdmitted(exchange))
  const rejected = asked.filter(({ exchange }) => exchange.status === 429)
  const used = admitted.reduce((sum, { cost }) => sum + cost, 0)
  const begun = asked.map(({ exchange }) => exchange.begunMs).toSorted((a, b) => a - b)
  const ended = asked.map(({ exchange }) => exchange.endedMs).toSorted((a, b) => a - b)
  const allowed = (fromMs = NaN, toMs = NaN) => limit * (1 + (toMs - fromMs) / MINUTE_MS)
  // At most the limit and what was refilled between the first and the last moment that could count.
  // Valkey refills by the wall clock, which a correction may move against the clock of these times.
  const movedMs = spreadOf(asked.map(({ wallMs }) => wallMs))
  const boundMost = allowed(begun[0], ended.at(-1)) + (limit * movedMs) / MINUTE_MS
  const boundLeast = allowed(ended[0], begun.at(-1)) - (limit * movedMs) / MINUTE_MS
  const stored = await readStored(valkey, organizationId)
  // A record is open while its request runs; records of rejected requests are released later.
  let open = NaN
  const isReleased = async () => (open = (await readOpen(valkey, organizationId)).length) === 0
  const releasedMs = await timeUntil(isReleased, RELEASED_MS)
  const counted = name === 'tokens' ? stored.tokensToday : stored.requestsToday
  const known = new Set([...admitted, ...rejected])
  const others = asked.filter((one) => !known.has(one))
  const requests = `${stored.requestsToday} of ${admitted.length} requests`
  const checks = {
    [`another answer: ${others[0]?.exchange.status} ${others[0]?.exchange.text}`]:
      others.length > 0,
    'no load above the limit': rejected.length === 0,
    [`used ${used}, more than ${boundMost}`]: used > boundMost,
    [`used ${used}, less than ${USED_MIN} of ${boundLeast}`]: used < USED_MIN * boundLeast,
    [`the store counts ${counted} of ${used}, and ${requests}`]:
      counted !== used || stored.requestsToday !== admitted.length,
    [`${open} records not released within ${RELEASED_MS} ms`]: releasedMs === null,
  }
  for (const [fault, seen] of Object.entries(checks)) if (seen) run.fail(`${name}: ${fault}`)
  const figures = {
    [`${name}_asked`]: asked.length,
    [`${name}_used`]: used,
    [`${name}_bound`]: Math.floor(boundMost),
    [`${name}_stored`]: counted,
    [`${name}_open`]: open,
    [`${name}_clock_moved_ms`]: movedMs.toFixed(1),
  }
  return { figures, share: used / boundMost }
}

function spreadOf(values: readonly number[]): number {
  const [most, least] = values.reduce(
    ([high, low], value) => [Math.max(high, value), Math.min(low, value)],
    [-Infinity, Infinity],
  )
  return most - least
}

async function openLimited(
  environment: Environment,
  { name, limit }: Dimension,
): Promise<Pick<Caller, 'organizationId' | 'key'>> {
  if (name !== 'key') return environment.openCaller(name)
  const { organizationId, projectId } = await environment.openCaller()
  const key = await openKey(environment.postgres.database, projectId, { requestsPerMinute: limit })
  return { organizationId, key: key.text }
}

await runProof('limits-parallel', async (run) => {
  await using server = await startPostgres()
  await using environment = await startEnvironment({
    databaseUrl: server.url,
    valkey: 'own',
    plans: {
      requests: { models: 'all', limits: limitsOf({ requests_per_minute: REQUESTS_PER_MINUTE }) },
      tokens: { models: 'all', limits: limitsOf({ tokens_per_minute: TOKENS_PER_MINUTE }) },
    },
  })
  await using opened = new AsyncDisposableStack()
  const apis = await environment.startApis(PROCESSES)
  const lines = apis.map(({ apiRoot }) => opened.use(openLine(apiRoot, CALLERS_EACH)))
  const judgeOne = async (dimension: Dimension) => {
    const { organizationId, key } = await openLimited(environment, dimension)
    const asked = await load(run, dimension, lines, key)
    return judge(run, dimension, asked, environment.valkey, organizationId)
  }
  const requests = await judgeOne(REQUESTS)
  const tokens = await judgeOne(TOKENS)
  const ofKey = await judgeOne(OF_KEY)
  return {
    processes: PROCESSES,
    ...requests.figures,
    ...tokens.figures,
    ...ofKey.figures,
    used_share_min: Math.min(requests.share, tokens.share, ofKey.share).toFixed(4),
  }
})
