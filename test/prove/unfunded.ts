// A request that is refused for lack of funds costs PostgreSQL nothing, however often it is sent.
// covers: src/store/limits/** src/store/tenants/** src/inference/identify.ts src/inference/admit.ts
import { startEnvironment, limitsOf, type Environment } from '../harness/environment.ts'
import { openLine, type Line } from '../harness/clients/http-client.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import {
  GATED,
  openLimited,
  openLimitedKeys,
  openPrepaid,
  startGatedEngine,
} from './budget/environment.ts'

const REQUESTS = 10_000
const SOAK_FACTOR = 10
const CONNECTIONS = 16
/** Of each kind. */
const CALLERS = 4
const TOKENS = 50
/** In micro-units for each token. */
const PRICE = { input: 1, cached_input: 1, output: 10 }
const CONTEXT = 256
/** What a request reserves: covers one request, and not a second one. */
const WORST = CONTEXT * PRICE.input + TOKENS * PRICE.output
const TRANSACTIONS_EACH_MAX = 0.05
const TIMEOUT_MS = 30_000

/** What can lack funds: it never had any, or it has used them up. */
const LACKS = ['organization', 'project', 'key'] as const

function chat(line: Line, key: string) {
  const messages = [{ role: 'user', content: 'Hello' }]
  return line.chat(key, { model: GATED, messages, max_tokens: TOKENS })
}

async function openKeys(environment: Environment, of: (typeof LACKS)[number], bound: number) {
  if (of === 'organization' && bound === 0) return [(await environment.openCaller('prepaid')).key]
  if (of === 'organization') return (await openPrepaid(environment, bound)).keys
  const open = of === 'project' ? openLimited : openLimitedKeys
  return (await open(environment, bound)).limited.keys
}

/** Keys whose requests are refused, each by name of what lacks funds. */
async function openRefused(run: ProofRun, environment: Environment, line: Line) {
  const refused: string[] = []
  for (const of of LACKS)
    for (let caller = 0; caller < CALLERS; caller += 1) {
      refused.push(...(await openKeys(environment, of, 0)))
      const [key = ''] = await openKeys(environment, of, WORST)
      const { status } = await chat(line, key)
      if (status !== 200) run.fail(`the first request within the funds of a ${of}: ${status}`)
      refused.push(key)
    }
  return refused
}

/** Transactions on the database until now. A connection reports its own when it ends. */
async function countTransactions({ postgres }: Environment): Promise<number> {
  const { rows } = await postgres.pool.query<{ transactions: number }>(
    `select xact_commit + xact_rollback as transactions from pg_stat_database
     where datname = current_database()`,
  )
  return rows[0]?.transactions ?? NaN
}

async function untilDisconnected({ postgres }: Environment): Promise<void> {
  const isGone = async () => {
    const { rows } = await postgres.pool.query(
      `select 1 from pg_stat_activity
       where datname = current_database() and application_name = 'headrace api'`,
    )
    return rows.length === 0
  }
  await waitUntil('the connections of the api to end', isGone, TIMEOUT_MS)
}

async function flood(run: ProofRun, line: Line, keys: readonly string[], count: number) {
  const statuses = new Map<number, number>()
  let begun = 0
  const work = async () => {
    while (begun < count) {
      const { status } = await chat(line, keys[begun++ % keys.length] ?? '')
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  const answered = [...statuses].map(([status, times]) => `${times} × ${status}`).join(', ')
  if (statuses.get(402) !== count) run.fail(`not all were refused: ${answered}`)
}

await runProof('unfunded', async (run) => {
  await using engine = await startGatedEngine(() => ({ prompt: 20, completion: TOKENS }))
  engine.open()
  const plan = { models: 'all', limits: limitsOf() } as const
  await using environment = await startEnvironment({
    engines: [{ name: 'gated', url: engine.url }],
    models: [{ id: GATED, engines: ['gated'], context_length: CONTEXT, price: PRICE }],
    plans: {
      prepaid: { ...plan, billing: 'prepaid' },
      postpaid: { ...plan, billing: 'postpaid' },
    },
  })
  const api = await environment.startApi()
  await using line = openLine(api.apiRoot, CONNECTIONS)
  const keys = await openRefused(run, environment, line)
  const count = REQUESTS * (run.soak ? SOAK_FACTOR : 1)
  const before = await countTransactions(environment)
  await flood(run, line, keys, count)
  await api.kill()
  await untilDisconnected(environment)
  const each = ((await countTransactions(environment)) - before) / count
  if (!(each <= TRANSACTIONS_EACH_MAX)) run.fail(`${each} transactions for each refusal`)
  return { refused: count, callers: keys.length, transactions_each: each.toFixed(4) }
})
