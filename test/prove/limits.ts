// The script of the limits decides exactly as the specification says, whatever comes and whenever.
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { LIMITS_SCRIPT, limitsCall, readReply } from '../../src/store/limits/limits-call.ts'
import type { LimitsAsk, LimitsDecision } from '../../src/tenancy/rate-limits.ts'
import { scriptCaller } from '../../src/store/valkey/scripts.ts'
import { ValkeyReplyError } from '../../src/store/valkey/valkey.ts'
import type { ScriptCall } from '../../src/store/valkey/scripts.ts'
import type { Valkey } from '../../src/store/valkey/valkey.ts'
import { createRandom, type Random } from '../harness/random.ts'
import { connectValkey, startValkey } from '../harness/valkey.ts'
import { LimitsModel } from './limits-model.ts'
import { MUTANTS } from './limits-mutants.ts'
import { nextAsks, startScenario } from './limits-scenario.ts'
import { mutate } from './mutant.ts'

const FAST_CALLS = 500_000
const SOAK_CALLS = 10_000_000
/** Most mutants are caught within a hundred; for some, rare things must come together. */
const MUTANT_CALLS = 100_000
const SCENARIO_CALLS_MAX = 200
/** Organizations that are judged at the same time, to keep the server busy. */
const LANES = 4
const MISMATCHES_SHOWN = 5

const DAY_MS = 86_400_000
const KEEP_MS = 2 * DAY_MS
/** A key's time runs on the real clock, so it is compared within the time a scenario may take. */
const EXPIRY_SLACK_MS = 60_000
const KEEP_FUNDS_MS = 62 * DAY_MS
const KEYS = ['limits', 'version', 'open', 'leases', 'funds'] as const

const CLOCK = "local time = redis.call('TIME')"
const TEST_CLOCK = 'local time = { table.remove(ARGV, #ARGV - 1), table.remove(ARGV) }'

type Tally = { calls: number; admissions: number; mismatches: number; errors: number }

type Hash = Record<string, string>

class Judge {
  readonly tally: Tally = { calls: 0, admissions: 0, mismatches: 0, errors: 0 }
  readonly #valkey: Valkey
  readonly #script: string
  readonly #evaluate: (call: ScriptCall) => Promise<unknown>
  readonly #show: boolean

  constructor(valkey: Valkey, script: string, show: boolean) {
    if (!LIMITS_SCRIPT.includes(CLOCK)) throw new Error('the script reads its clock otherwise')
    this.#valkey = valkey
    this.#script = script.replace(CLOCK, () => TEST_CLOCK)
    this.#evaluate = scriptCaller(valkey, this.#script)
    this.#show = show
  }

  /** A script that the server does not know yet would be called out of its turn. */
  async load(): Promise<void> {
    await this.#valkey.call('SCRIPT', ['LOAD', this.#script])
  }

  async judgeScenario(random: Random, callsMax: number): Promise<void> {
    const tag = random.between(0, 2 ** 52)
    const keys = KEYS.map((name) => `{${tag}}:${name}`)
    const scenario = startScenario(random)
    const model = new LimitsModel()
    const answers: Promise<unknown>[] = []
    let last: LimitsDecision | undefined
    for (let step = 0; step < callsMax; step += 1) {
      answers.push(...this.#disturb(random, keys, step, model))
      const asks = nextAsks(scenario, step, last, model)
      // A call that asks for nothing is how a version is raised.
      const asked = random.chance(0.02) ? [] : asks
      const shared = asked.length === 0 ? { ...asks[0]!, fresh: true } : asks[0]!
      const expected = model.decide(scenario.nowMs, shared, asked)
      const clock = [
        Math.floor(scenario.nowMs / 1000),
        (scenario.nowMs % 1000) * 1000 + random.between(0, 999),
      ]
      const args = [...limitsCall(shared, asked).args, ...clock]
      answers.push(this.#compare({ keys, args }, asked, expected))
      last = expected.at(-1)
    }
    await Promise.all(answers)
    await this.#compareStored(keys, model)
    await this.#valkey.call('DEL', keys)
  }

  /** What others do between two calls: requests are settled, and now and then funds are lost. */
  #disturb(random: Random, keys: string[], step: number, model: LimitsModel): Promise<unknown>[] {
    const [, , open = '', , funds = ''] = keys
    if (random.chance(0.01)) {
      model.forgetFunds()
      return [this.#valkey.call('DEL', [funds])]
    }
    const id = `${random.between(0, step)}/0`
    if (!random.chance(0.2) || !model.isOpen(id)) return []
    const spent = random.between(0, 100)
    const [closing, known] = [this.#valkey.call('HDEL', [open, id]), model.knowsFunds()]
    model.close(id, spent, -spent)
    if (!known) return [closing]
    // A mutant may have written what is no number; that shows in what is stored.
    const book = (field: string, by: number) =>
      this.#valkey.call('HINCRBY', [funds, field, by]).catch(() => null)
    return [closing, book('spent', spent), book('reserved', -spent)]
  }

  async #compare(call: ScriptCall, asks: LimitsAsk[], expected: LimitsDecision[]): Promise<void> {
    this.tally.calls += 1
    let seen: LimitsDecision[]
    try {
      seen = readReply(await this.#evaluate(call), asks)
    } catch (error) {
      if (!(error instanceof ValkeyReplyError)) throw error
      this.tally.errors += 1
      this.#report({ call, error: error.message })
      return
    }
    for (const { kind } of seen) if (kind === 'admitted') this.tally.admissions += 1
    if (!isDeepStrictEqual(seen, expected)) this.#report({ call, seen, expected })
  }

  async #compareStored(keys: readonly string[], model: LimitsModel): Promise<void> {
    const [limits = '', version = '', open = '', leases = '', funds = ''] = keys
    const expected = model.state()
    const [used, known, opened, lease, money, ...keptMs] = (await Promise.all([
      this.#readHash(limits),
      this.#valkey.call('GET', [version]),
      this.#readHash(open),
      this.#valkey.call('HGET', [leases, 'process']),
      this.#readHash(funds),
      ...[limits, version, funds].map((key) => this.#valkey.call('PTTL', [key])),
    ])) as [Hash, string | null, Hash, string | null, Hash, number, number, number]
    const holds =
      isDeepStrictEqual(used, { ...expected.used }) &&
      (known === null ? null : Number(known)) === expected.version &&
      isDeepStrictEqual(opened, expected.open) &&
      isDeepStrictEqual(money, { ...expected.funds }) &&
      lease === expected.lease &&
      (expected.used === null || isClose(keptMs[0], expected.keepUsedMs)) &&
      (known === null || isClose(keptMs[1], KEEP_MS)) &&
      (expected.funds === null || isClose(keptMs[2], KEEP_FUNDS_MS))
    if (!holds) this.#report({ used, known, opened, lease, money, keptMs, expected })
  }

  async #readHash(key: string): Promise<Hash> {
    const fields = (await this.#valkey.call('HGETALL', [key])) as string[]
    return Object.fromEntries(
      fields.flatMap((name, index) => (index % 2 === 0 ? [[name, fields[index + 1] ?? '']] : [])),
    )
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
  await judgeOf.load()
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
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url], { timeoutMs: EXPIRY_SLACK_MS })
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
