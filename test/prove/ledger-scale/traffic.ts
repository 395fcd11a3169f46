import { randomUUID } from 'node:crypto'
import { uuidV7 } from '../../../src/lib/uuid.ts'
import { costOf } from '../../../src/tenancy/price.ts'
import type { UsageRecord } from '../../../src/tenancy/usage-record.ts'
import type { UsageSums } from '../../harness/seed/posted-usage.ts'
import type { Random } from '../../harness/figures/random.ts'

/** Records of an organization in the month, on average. */
const RECORDS_EACH = 2_500
const PROJECTS_MAX = 3
const KEYS_MAX = 4
const PRICE = { input: 250_000, cachedInput: 25_000, output: 1_000_000 }
const MODELS = ['example/small', 'example/medium', 'example/large', 'other/thinker']
const ENGINES = ['one', 'two', 'three', 'four']
const INSTANCE = randomUUID()
const DAYS = 30
const DAY_MS = 86_400_000

/** Most keys are used with one model. */
const MAIN_MODEL_SHARE = 0.9

/** Synthetic requests of a month, in order of time. */
export type Traffic = {
  readonly firstDayMs: number
  readonly lastDayMs: number
  /** The organization with most requests. */
  readonly busiest: string
  next(): UsageRecord
  /** The sums of all records made so far, and of the busiest organization's. */
  readonly all: UsageSums
  readonly ofBusiest: UsageSums
}

type Mutable<Value> = { -readonly [Name in keyof Value]: Value[Name] }

export function createTraffic(random: Random, count: number, nowMs: number): Traffic {
  const lastDayMs = Math.floor(nowMs / DAY_MS) * DAY_MS - DAY_MS
  const firstDayMs = lastDayMs - (DAYS - 1) * DAY_MS
  const stepMs = (DAYS * DAY_MS) / count
  const size = Math.ceil(count / RECORDS_EACH)
  const organizations = Array.from({ length: size }, () => {
    const projects = Array.from({ length: random.between(1, PROJECTS_MAX) }, () => randomUUID())
    const keys = Array.from({ length: random.between(1, KEYS_MAX) }, () => ({
      projectId: random.pick(projects),
      credentialId: randomUUID(),
      accountId: randomUUID(),
      mainModel: random.pick(MODELS),
    }))
    return { id: randomUUID(), keys }
  })
  const draw = zipf(size, () => random.between(0, 1_000_000) / 1_000_001)
  const [all, ofBusiest] = [nothing(), nothing()]
  const busiest = organizations[0]?.id ?? ''
  let made = 0
  return {
    firstDayMs,
    lastDayMs,
    busiest,
    all,
    ofBusiest,
    next() {
      const openedMs = firstDayMs + Math.floor(made * stepMs)
      made += 1
      const organization = organizations[draw()] ?? organizations[0]!
      const key = random.pick(organization.keys)
      const promptTokens = random.between(10, 8_000)
      const counts = {
        promptTokens,
        cachedTokens: random.chance(0.5) ? Math.floor(promptTokens / 2) : 0,
        completionTokens: random.between(1, 2_000),
        reasoningTokens: 0,
      }
      const record: UsageRecord = {
        id: uuidV7(openedMs),
        organizationId: organization.id,
        projectId: key.projectId,
        credentialId: key.credentialId,
        accountId: key.accountId,
        credentialKind: 'api_key',
        retention: 'zero',
        reserved: 10_000,
        attempts: 1,
        instance: INSTANCE,
        model: random.chance(MAIN_MODEL_SHARE) ? key.mainModel : random.pick(MODELS),
        price: PRICE,
        ...counts,
        engine: random.pick(ENGINES),
        outcome: 'completed',
        basis: 'engine',
        cost: costOf(counts, PRICE),
        queuedMs: random.between(0, 50),
        firstTokenMs: random.between(50, 900),
        durationMs: random.between(900, 60_000),
        settledAtMs: openedMs + 60_000,
      }
      add(all, record)
      if (record.organizationId === busiest) add(ofBusiest, record)
      return record
    },
  }
}

function nothing(): Mutable<UsageSums> {
  return { requests: 0, prompt: 0, cached: 0, completion: 0, reasoning: 0, cost: 0 }
}

function add(sums: Mutable<UsageSums>, record: UsageRecord): void {
  sums.requests += 1
  sums.prompt += record.promptTokens
  sums.cached += record.cachedTokens
  sums.completion += record.completionTokens
  sums.reasoning += record.reasoningTokens
  sums.cost += record.cost
}

/** A few organizations send most requests: the nth sends 1/n as many as the first. */
function zipf(size: number, next: () => number): () => number {
  const bounds: number[] = []
  let total = 0
  for (let rank = 1; rank <= size; rank += 1) {
    total += 1 / rank
    bounds.push(total)
  }
  return () => {
    const wanted = next() * total
    let [low, high] = [0, size - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((bounds[middle] ?? 0) < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}
