import * as fc from 'fast-check'
import { inputTokensOf, measurePrompt } from '../../../src/contract/prompt-bound.ts'
import { limitsOf, modelOn, startEnvironment, type Environment } from '../../harness/environment.ts'
import { waitUntilPosted } from '../../harness/load/metered.ts'
import { readMetrics } from '../../harness/figures/metrics-page.ts'
import { findWrongSums } from '../../harness/seed/posted-usage.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { grant, openPrepaid, type Budget } from '../budget/environment.ts'
import { startSampler, type Sampler } from '../budget/sampler.ts'
import { request } from './requests.ts'

export type TemplateEngine = { readonly name: string; readonly url: string }

const ORGANIZATIONS = 3
const AT_ONCE = 4
const SAMPLE = 500
const OUTPUT_MAX = 4
const SLOTS = 4
/** The context of the demo model. */
const CONTEXT = 4_096
/** Little more than the largest request, so that both bounds are met again and again. */
const TOKENS_PER_MINUTE = 2_000
const GRANTED = 7_000
/** So many requests meet both bounds, whatever they are. */
const SENT_MEETING_BOUNDS = 24
const PRICE = { input: 1.234567, output: 9.876543 }
/** The service refuses what templates and rules reject, and what a limit does not cover. */
const EXPECTED = new Set([200, 400, 402, 429, 502, 503])

type Spending = {
  readonly run: ProofRun
  readonly environment: Environment
  readonly apis: readonly HeadraceProcess[]
  readonly models: readonly string[]
  readonly sampler: Sampler
  readonly budgets: Budget[]
  readonly statuses: Map<number, number>
  /** Estimated input tokens of answered requests, for each budget. */
  readonly answeredTokens: number[]
}

/** Sends so many random requests to real engines with these templates; nothing is overspent. */
export async function spend(
  run: ProofRun,
  engines: readonly TemplateEngine[],
  count: number,
): Promise<Record<string, number>> {
  const startedMs = performance.now()
  await using environment = await startSpending(engines)
  const apis = await environment.startApis(2)
  const worker = await environment.startWorker()
  const sampler = startSampler(environment, run.fail)
  const budgets = await Promise.all(
    Array.from({ length: ORGANIZATIONS }, () => openPrepaid(environment, GRANTED)),
  )
  for (const budget of budgets) sampler.watch(budget)
  const models = engines.map(({ name }) => modelOn(name))
  const statuses = new Map<number, number>()
  const answeredTokens = budgets.map(() => 0)
  const spending = { run, environment, apis, models, sampler, budgets, statuses, answeredTokens }
  for (let done = 0; done < count; done += SAMPLE) {
    const numRuns = Math.min(SAMPLE, count - done)
    const seed = run.random.between(0, 2 ** 31 - 1)
    await sendAll(spending, fc.sample(request, { seed, numRuns }))
  }
  await waitUntilPosted(environment.valkey)
  await sampler.stop()
  for (const wrong of await findWrongSums(environment.postgres.pool)) run.fail(wrong)
  for (const { crashes } of [...apis, worker]) if (crashes > 0) run.fail('a process ended')
  const most = judgeTokens(spending, performance.now() - startedMs)
  await judgeExcess(spending)
  const answered = statuses.get(200) ?? 0
  if (answered === 0) run.fail('no request was answered')
  const [unfunded = 0, limited = 0] = [statuses.get(402), statuses.get(429)]
  if (count >= SENT_MEETING_BOUNDS && (unfunded === 0 || limited === 0))
    run.fail(`${unfunded} refused for want of balance, ${limited} by tokens per minute`)
  return { sent: count, answered, unfunded, limited, minute_share_max: most }
}

function startSpending(engines: readonly TemplateEngine[]): Promise<Environment> {
  const limits = limitsOf({ tokens_per_minute: TOKENS_PER_MINUTE })
  const names = engines.map(({ name }) => name)
  return startEnvironment({
    engines: engines.map((engine) => ({ ...engine, slots: SLOTS, model_name: 'pebble' })),
    models: names.map((name) => ({
      id: modelOn(name),
      engines: [name],
      context_length: CONTEXT,
      price: PRICE,
    })),
    plans: { prepaid: { models: 'all', billing: 'prepaid', limits } },
    // Tests do not probe otherwise; here a template must be measured before it is charged for.
    environment: { HEADRACE_API_PROBE_ENGINES: 'true' },
    valkey: 'own',
  })
}

async function sendAll(spending: Spending, values: readonly object[]): Promise<void> {
  const left = values.values()
  const sendOn = async () => {
    for (const value of left) await sendOne(spending, value)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendOn))
}

async function sendOne(spending: Spending, value: object): Promise<void> {
  const { run, apis, models, budgets, statuses, answeredTokens } = spending
  const { random } = run
  const at = random.between(0, budgets.length - 1)
  const [key = ''] = budgets[at]?.keys ?? []
  const response = await fetch(`${random.pick(apis).apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...value,
      model: random.pick(models),
      max_completion_tokens: random.between(1, OUTPUT_MAX),
      stream: random.chance(0.5),
    }),
  })
  const text = await response.text()
  const { status } = response
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  if (status === 200)
    answeredTokens[at] = (answeredTokens[at] ?? 0) + inputTokensOf(measurePrompt(value))
  if (!EXPECTED.has(status)) run.fail(`${status} ${text.slice(0, 200)}`)
  if (status === 402) await addFunds(spending, at)
}

async function addFunds({ environment, sampler, budgets }: Spending, at: number): Promise<void> {
  const budget = budgets[at]
  if (budget === undefined) return
  // Watched first: what is granted may be reserved before this returns.
  const more = { ...budget, bound: budget.bound + GRANTED }
  budgets[at] = more
  sampler.watch(more)
  await grant(environment, budget, GRANTED)
}

/**
 * The largest share that an organization used of what its limit allowed over the whole time. The
 * limit counts input tokens as they are estimated at admission.
 */
function judgeTokens({ run, answeredTokens }: Spending, tookMs: number): number {
  const allowed = TOKENS_PER_MINUTE * (1 + tookMs / 60_000)
  const used = Math.max(...answeredTokens)
  if (used > allowed) run.fail(`${used} tokens of ${allowed} in ${tookMs} ms`)
  return Math.round((used / allowed) * 1000) / 1000
}

/** An engine that counts more than was reserved is reported by each api process. */
async function judgeExcess({ run, apis }: Spending): Promise<void> {
  for (const { healthAddress } of apis)
    for (const [series, value] of await readMetrics(healthAddress))
      if (series.startsWith('headrace_engine_excess_tokens_total') && value > 0)
        run.fail(`${series} is ${value}`)
}
