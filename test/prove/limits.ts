// The script of the limits decides exactly as the specification says, whatever comes and whenever.
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { LIMIT_MAX, LIMITS_SCRIPT, limitsCall, readReply } from '../../src/store/limits.ts'
import type { LimitsAsk, LimitsDecision } from '../../src/tenancy/rate-limits.ts'
import { ValkeyRefusal, scriptCaller } from '../../src/store/valkey.ts'
import type { ScriptCall, Valkey } from '../../src/store/valkey.ts'
import type { RateLimits } from '../../src/tenancy/rate-limits.ts'
import { connectValkey, startValkey } from '../harness/valkey.ts'
import { LimitsModel } from './limits-model.ts'
import { MUTANTS, mutate } from './limits-mutants.ts'

const FAST_CALLS = 500_000
const SOAK_CALLS = 10_000_000
/** Enough to catch every mutant with each of many seeds; most are caught in the first hundred. */
const MUTANT_CALLS = 20_000
const SCENARIO_CALLS_MAX = 200
/** Organizations that are judged at the same time, to keep the server busy. */
const LANES = 4
const MISMATCHES_SHOWN = 5

const DAY_MS = 86_400_000
const KEEP_MS = 2 * DAY_MS
/** A key's time runs on the real clock, so it is compared within the time a scenario may take. */
const EXPIRY_SLACK_MS = 60_000
/** Valkey trims a stream by whole nodes. Small ones let a short scenario see it. */
const STREAM_NODE_ENTRIES = 10

const CLOCK = "local time = redis.call('TIME')"
const TEST_CLOCK = 'local time = { table.remove(ARGV, #ARGV - 1), table.remove(ARGV) }'

type Random = {
  /** A whole number within both bounds. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(choices: readonly T[]): T
}

type Tally = { calls: number; admissions: number; mismatches: number; errors: number }

/** What the calls of one scenario have in common, and how they wander. */
type Scenario = {
  random: Random
  nowMs: number
  version: number
  limits: RateLimits
  streamMax: number
}

function createRandom(seed: number): Random {
  let state = seed >>> 0
  // Mulberry32: small, fast, and the same everywhere.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    pick: (choices) => choices[Math.floor(next() * choices.length)]!,
  }
}

function chooseLimit(random: Random): number {
  const max = random.pick([0, 1, 5, 100, 100, 10_000, 1_000_000, LIMIT_MAX, LIMIT_MAX])
  return random.chance(0.2) ? max : random.between(Math.min(1, max), max)
}

function chooseLimits(random: Random): RateLimits {
  const roomy = random.chance(0.5)
  const day = () => (roomy && random.chance(0.7) ? LIMIT_MAX : chooseLimit(random))
  return {
    requestsPerMinute: roomy && random.chance(0.3) ? 1000 : chooseLimit(random),
    requestsPerDay: day(),
    tokensPerMinute: chooseLimit(random),
    tokensPerDay: day(),
  }
}

function startScenario(random: Random): Scenario {
  const midnight = random.between(20_000, 21_000) * DAY_MS
  const nearMidnight = random.chance(0.5)
  return {
    random,
    nowMs: midnight + (nearMidnight ? random.between(-90_000, 90_000) : random.between(0, DAY_MS)),
    version: random.between(1, 5),
    limits: chooseLimits(random),
    streamMax: random.pick([20, 1_000_000]),
  }
}

function moveClock(scenario: Scenario): void {
  const { random, nowMs } = scenario
  const midnight = Math.round(nowMs / DAY_MS) * DAY_MS
  const kind = random.between(0, 99)
  if (kind < 40) return
  if (kind < 65) scenario.nowMs += random.between(0, 50)
  else if (kind < 83) scenario.nowMs += random.between(0, 70_000)
  else if (kind < 88) scenario.nowMs -= random.between(0, 100_000)
  else if (kind < 90) scenario.nowMs -= random.between(0, 2 * DAY_MS)
  else if (kind < 92) scenario.nowMs += random.between(0, 2 * DAY_MS)
  else scenario.nowMs = midnight + random.between(-2, 2)
}

function chooseTokens(
  random: Random,
  limits: RateLimits,
  last: LimitsDecision | undefined,
): number {
  const kind = random.between(0, 9)
  if (kind < 2) return 0
  if (kind < 3) return random.between(0, 3)
  const limit = random.chance(0.8) ? limits.tokensPerMinute : limits.tokensPerDay
  if (kind < 7) return Math.floor(limit / random.between(1, 20))
  if (kind < 8) return Math.max(0, limit + random.between(-1, 1))
  if (kind < 9 && last !== undefined && last.kind !== 'stale') {
    const name = random.pick(['tokensPerMinute', 'tokensPerDay'] as const)
    return Math.max(0, last.capacities[name].remaining + random.between(-1, 1))
  }
  return random.chance(0.1) ? Number.MAX_SAFE_INTEGER : random.between(0, limit)
}

/** The next call; `last` lets it aim at what is left, where off-by-ones live. */
function nextAsks(scenario: Scenario, step: number, last: LimitsDecision | undefined): LimitsAsk[] {
  const { random } = scenario
  moveClock(scenario)
  if (random.chance(0.03)) scenario.limits = chooseLimits(random)
  if (random.chance(0.05)) scenario.version = Math.max(0, scenario.version + random.between(-1, 2))
  const { limits, version } = scenario
  const fresh = random.chance(step === 0 ? 0.9 : 0.1)
  const count = random.chance(0.8) ? 1 : random.between(1, 8)
  return Array.from({ length: count }, (_, index) => ({
    organizationId: 'unused',
    version,
    fresh,
    limits,
    tokens: chooseTokens(random, limits, last),
    record: `${step}/${index}`,
  }))
}

class Judge {
  readonly tally: Tally = { calls: 0, admissions: 0, mismatches: 0, errors: 0 }
  readonly #valkey: Valkey
  readonly #evaluate: (call: ScriptCall) => Promise<unknown>
  readonly #show: boolean

  constructor(valkey: Valkey, script: string, show: boolean) {
    if (!LIMITS_SCRIPT.includes(CLOCK)) throw new Error('the script reads its clock otherwise')
    this.#valkey = valkey
    this.#evaluate = scriptCaller(
      valkey,
      script.replace(CLOCK, () => TEST_CLOCK),
    )
    this.#show = show
  }

  async judgeScenario(random: Random, callsMax: number): Promise<void> {
    const keys = ['limits', 'version', 'usage'].map(
      (name) => `{${random.between(0, 2 ** 52)}}:${name}`,
    )
    const scenario = startScenario(random)
    const model = new LimitsModel()
    const answers: Promise<void>[] = []
    let last: LimitsDecision | undefined
    for (let step = 0; step < callsMax; step += 1) {
      const asks = nextAsks(scenario, step, last)
      // A call that asks for nothing is how a version is raised.
      const asked = random.chance(0.02) ? [] : asks
      const shared = asked.length === 0 ? { ...asks[0]!, fresh: true } : asks[0]!
      const expected = model.decide(scenario.nowMs, shared, asked)
      const clock = [
        Math.floor(scenario.nowMs / 1000),
        (scenario.nowMs % 1000) * 1000 + random.between(0, 999),
      ]
      const args = [...limitsCall(shared, asked).args.with(6, scenario.streamMax), ...clock]
      answers.push(this.#compare({ keys, args }, asked, expected))
      last = expected.at(-1)
    }
    await Promise.all(answers)
    await this.#compareStored(keys, model, scenario.streamMax)
    await this.#valkey.call('DEL', keys)
  }

  async #compare(call: ScriptCall, asks: LimitsAsk[], expected: LimitsDecision[]): Promise<void> {
    this.tally.calls += 1
    let seen: LimitsDecision[]
    try {
      seen = readReply(await this.#evaluate(call), asks)
    } catch (error) {
      if (!(error instanceof ValkeyRefusal)) throw error
      this.tally.errors += 1
      this.#report({ call, error: error.message })
      return
    }
    for (const { kind } of seen) if (kind === 'admitted') this.tally.admissions += 1
    if (!isDeepStrictEqual(seen, expected)) this.#report({ call, seen, expected })
  }

  async #compareStored(
    keys: readonly string[],
    model: LimitsModel,
    streamMax: number,
  ): Promise<void> {
    const [limits = '', version = '', usage = ''] = keys
    const expected = model.state()
    const [fields, known, limitsMs, versionMs, entries] = (await Promise.all([
      this.#valkey.call('HGETALL', [limits]),
      this.#valkey.call('GET', [version]),
      this.#valkey.call('PTTL', [limits]),
      this.#valkey.call('PTTL', [version]),
      this.#valkey.call('XRANGE', [usage, '-', '+']),
    ])) as [string[], string | null, number, number, [string, string[]][]]
    const stored = Object.fromEntries(
      fields.flatMap((name, index) => (index % 2 === 0 ? [[name, fields[index + 1]]] : [])),
    )
    const fieldsOf = (record: string) => ['opened', record]
    const records = expected.records.slice(-Math.max(1, entries.length)).map(fieldsOf)
    const holds =
      isDeepStrictEqual(stored, { ...expected.used }) &&
      (known === null ? null : Number(known)) === expected.version &&
      (expected.used === null || isClose(limitsMs, expected.keepUsedMs)) &&
      (known === null || isClose(versionMs, KEEP_MS)) &&
      isDeepStrictEqual(
        entries.map(([, entry]) => entry),
        records,
      ) &&
      entries.length >= Math.min(expected.records.length, streamMax) &&
      entries.length <= streamMax + STREAM_NODE_ENTRIES
    if (!holds) this.#report({ stored, known, limitsMs, versionMs, entries, expected })
  }

  #report(finding: unknown): void {
    this.tally.mismatches += 1
    if (this.#show && this.tally.mismatches <= MISMATCHES_SHOWN) console.dir(finding, { depth: 8 })
  }
}

function isClose(milliseconds: number, expected: number): boolean {
  return milliseconds <= expected && milliseconds > expected - EXPIRY_SLACK_MS
}

/** Judges scenarios until there were enough calls, or more mismatches than are of interest. */
async function judge(judgeOf: Judge, seed: number, calls: number, enough: number): Promise<Tally> {
  const { tally } = judgeOf
  const seeds = createRandom(seed)
  const lane = async () => {
    while (tally.calls < calls && tally.mismatches < enough) {
      const random = createRandom(seeds.between(0, 2 ** 32 - 1))
      await judgeOf.judgeScenario(random, random.between(1, SCENARIO_CALLS_MAX))
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return tally
}

async function countKilled(valkey: Valkey, seed: number): Promise<number> {
  let killed = 0
  for (const mutant of MUTANTS) {
    const script = mutate(LIMITS_SCRIPT, mutant)
    const tally = await judge(new Judge(valkey, script, false), seed, MUTANT_CALLS, 1)
    // A script that breaks is noticed by anyone; only a wrong decision shows what the proof sees.
    if (tally.mismatches > tally.errors) killed += 1
    else console.log(`survived: ${mutant.name} (${tally.errors} errors)`)
  }
  return killed
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      soak: { type: 'boolean', default: false },
      seed: { type: 'string' },
      calls: { type: 'string' },
    },
  })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const calls = Number(values.calls ?? (values.soak ? SOAK_CALLS : FAST_CALLS))
  await using server = await startValkey({
    args: ['--stream-node-max-entries', `${STREAM_NODE_ENTRIES}`],
  })
  await using valkey = await connectValkey([server.url], { patienceMs: EXPIRY_SLACK_MS })
  const startedMs = performance.now()
  const tally = await judge(new Judge(valkey, LIMITS_SCRIPT, true), seed, calls, MISMATCHES_SHOWN)
  const seconds = (performance.now() - startedMs) / 1000
  console.log(`${tally.calls} calls in ${seconds.toFixed(1)} s, seed ${seed}`)
  const killed = await countKilled(valkey, seed)
  console.log(
    `limits: calls=${tally.calls} admissions=${tally.admissions} mismatches=${tally.mismatches} ` +
      `mutants=${killed}/${MUTANTS.length} seed=${seed}`,
  )
  return tally.mismatches === 0 && tally.calls >= calls && killed === MUTANTS.length
}

process.exitCode = (await main()) ? 0 : 1
