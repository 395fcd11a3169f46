// The limits script decides exactly as the specification says, for any request at any time.
// covers: src/store/limits/**
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { LIMITS_SCRIPT, limitsCall, readReply } from '../../src/store/limits/limits-call.ts'
import { scriptCaller, type ScriptCall } from '../../src/store/valkey/scripts.ts'
import { ValkeyReplyError, type Valkey } from '../../src/store/valkey/valkey.ts'
import type { LimitsAsk, LimitsDecision } from '../../src/tenancy/rate-limits.ts'
import { runProof } from '../harness/proof.ts'
import { createRandom, type Random } from '../harness/figures/random.ts'
import { readHash } from '../harness/seed/usage-records.ts'
import { connectValkey, startValkey } from '../harness/servers/valkey.ts'
import type { KeyBooks } from './limits/key-books.ts'
import { LimitsModel } from './limits/model.ts'
import { fieldsOf } from './limits/running.ts'
import { KEY_IDS, MODELS, nextAsks, startScenario } from './limits/scenario.ts'

const FAST_CALLS = 500_000
const SOAK_CALLS = 10_000_000
/** Most mutants are caught within a hundred calls; some need a rare combination. */
const MUTANT_CALLS = 100_000
const SCENARIO_CALLS_MAX = 200
/** Organizations that are judged at the same time, to keep the server busy. */
const AT_ONCE = 4
const MISMATCHES_SHOWN = 5

const DAY_MS = 86_400_000
const KEEP_MS = 2 * DAY_MS
/** A key's time runs on the real clock, so it is compared within the time a scenario may take. */
const EXPIRY_SLACK_MS = 60_000
const KEEP_FUNDS_MS = 62 * DAY_MS
const KEYS = ['limits', 'version', 'open', 'leases', 'funds', 'key:', 'running'] as const

const CLOCK = "local time = redis.call('TIME')"
const TEST_CLOCK = 'local time = { table.remove(ARGV, #ARGV - 1), table.remove(ARGV) }'

/** A script with a small error in it. */
type Mutant = { readonly name: string; readonly script: string }

type Hash = Record<string, string>

class Judge {
  readonly tally = { calls: 0, admissions: 0, mismatches: 0, errors: 0 }
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

  /** Judges scenarios until there were enough calls, or more mismatches than are of interest. */
  async judgeCalls(seed: number, calls: number, mismatchesMax: number) {
    // A script that the server does not know yet would be called out of its turn.
    await this.#valkey.call('SCRIPT', ['LOAD', this.#script])
    const seeds = createRandom(seed)
    const work = async () => {
      while (this.tally.calls < calls && this.tally.mismatches < mismatchesMax) {
        const random = createRandom(seeds.between(0, 2 ** 32 - 1))
        await this.#judgeScenario(random, random.between(1, SCENARIO_CALLS_MAX))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return this.tally
  }

  async #judgeScenario(random: Random, callsMax: number): Promise<void> {
    const tag = random.between(0, 2 ** 52)
    const keys = KEYS.map((name) => `{${tag}}:${name}`)
    const scenario = startScenario(random)
    const model = new LimitsModel()
    const answers: Promise<unknown>[] = []
    let last: LimitsDecision | undefined
    for (let step = 0; step < callsMax; step += 1) {
      answers.push(...this.#disturb(random, keys, step, model))
      const asks = nextAsks(scenario, step, last, model)
      const expected = model.decide(scenario.nowMs, asks)
      const clock = [
        Math.floor(scenario.nowMs / 1000),
        (scenario.nowMs % 1000) * 1000 + random.between(0, 999),
      ]
      const args = [...limitsCall(asks).args, ...clock]
      answers.push(this.#compare({ keys, args }, asks, expected))
      last = expected.at(-1)
    }
    await Promise.all(answers)
    await this.#compareStored(keys, model)
    for (const id of KEY_IDS) await this.#compareBook(bookOf(keys, id), model.keys.state(id))
    await this.#valkey.call('DEL', [...keys, ...KEY_IDS.map((id) => bookOf(keys, id))])
  }

  /** Changes by others between two calls: requests are settled, and sometimes funds are lost. */
  #disturb(random: Random, keys: string[], step: number, model: LimitsModel): Promise<unknown>[] {
    const [limits = '', , open = '', , funds = '', , running = ''] = keys
    if (random.chance(0.05) && model.isUsed()) {
      const [id, clock] = [random.pick(MODELS), random.between(0, 2 ** 50)]
      model.running.setClock(id, clock)
      return [this.#valkey.call('HSET', [limits, `clock:${id}`, clock])]
    }
    if (random.chance(0.01)) {
      model.forgetFunds()
      return [this.#valkey.call('DEL', [funds])]
    }
    const limitsId = random.pick(KEY_IDS)
    if (random.chance(0.01)) {
      model.keys.forget(limitsId)
      return [this.#valkey.call('DEL', [bookOf(keys, limitsId)])]
    }
    const cost = random.between(0, 100)
    if (random.chance(0.1) && model.keys.spend(limitsId, cost))
      return [this.#increase(bookOf(keys, limitsId), 'spent', cost)]
    const id = `${random.between(0, step)}/0`
    if (!random.chance(0.2) || !model.isOpen(id)) return []
    const spent = random.between(0, 100)
    const known = model.knowsFunds()
    const ended = fieldsOf(model.running.find(id)!)
    const closing = [
      this.#valkey.call('HDEL', [open, id]),
      ...ended.map((field) => this.#increase(running, field, -1)),
    ]
    model.close(id, spent, -spent)
    if (!known) return closing
    const changes = [
      this.#increase(funds, 'spent', spent),
      this.#increase(funds, 'reserved', -spent),
    ]
    return [...closing, ...changes]
  }

  /** A mutant may have written something else than a number; the stored state shows that. */
  #increase(key: string, field: string, by: number): Promise<unknown> {
    return this.#valkey.call('HINCRBY', [key, field, by]).catch(() => null)
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
    const [limits = '', version = '', open = '', leases = '', funds = '', , running = ''] = keys
    const expected = model.state()
    const [used, known, opened, lease, money, counts, ...keptMs] = (await Promise.all([
      readHash(this.#valkey, limits),
      this.#valkey.call('GET', [version]),
      readHash(this.#valkey, open),
      this.#valkey.call('HGET', [leases, 'process']),
      readHash(this.#valkey, funds),
      readHash(this.#valkey, running),
      ...[limits, version, funds].map((key) => this.#valkey.call('PTTL', [key])),
    ])) as [Hash, string | null, Hash, string | null, Hash, Hash, number, number, number]
    const holds =
      isDeepStrictEqual(used, { ...expected.used }) &&
      (known === null ? null : Number(known)) === expected.version &&
      isDeepStrictEqual(opened, expected.open) &&
      isDeepStrictEqual(withoutZeros(counts), expected.running) &&
      isDeepStrictEqual(money, { ...expected.funds }) &&
      lease === expected.lease &&
      (expected.used === null || isClose(keptMs[0], expected.keepUsedMs)) &&
      (known === null || isClose(keptMs[1], KEEP_MS)) &&
      (expected.funds === null || isClose(keptMs[2], KEEP_FUNDS_MS))
    if (!holds) this.#report({ used, known, opened, counts, lease, money, keptMs, expected })
  }

  async #compareBook(key: string, expected: ReturnType<KeyBooks['state']>): Promise<void> {
    const fields = await readHash(this.#valkey, key)
    const keptMs = (await this.#valkey.call('PTTL', [key])) as number
    const holds =
      isDeepStrictEqual(fields, { ...expected?.fields }) &&
      (expected === null || isClose(keptMs, expected.keepMs))
    if (!holds) this.#report({ key, fields, keptMs, expected })
  }

  #report(finding: unknown): void {
    this.tally.mismatches += 1
    if (this.#show && this.tally.mismatches <= MISMATCHES_SHOWN) console.dir(finding, { depth: 8 })
  }
}

function bookOf(keys: readonly string[], id: string): string {
  return `${keys[5]}${id}`
}

/** A settlement deletes a count of 0. */
function withoutZeros(counts: Hash): Hash {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== '0'))
}

function isClose(milliseconds: number, expected: number): boolean {
  return milliseconds <= expected && milliseconds > expected - EXPIRY_SLACK_MS
}

function readMutants(): Mutant[] {
  const text = readFileSync(new URL('limits/mutants.txt', import.meta.url), 'utf8')
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const [name = '', from = '', to = ''] = line
      .split('|')
      .map((part) => part.trim().replaceAll('\\n', '\n'))
    // A mutant that no longer applies must not pass for a caught one.
    if (LIMITS_SCRIPT.split(from).length !== 2) throw new Error(`does not apply once: ${line}`)
    return { name, script: LIMITS_SCRIPT.replace(from, () => to) }
  })
}

await runProof(
  'limits',
  async (run) => {
    const { seed, soak } = run
    const calls = Number(run.values['calls'] ?? (soak ? SOAK_CALLS : FAST_CALLS))
    await using server = await startValkey()
    await using valkey = await connectValkey([server.url], { timeoutMs: EXPIRY_SLACK_MS })
    const startedMs = performance.now()
    const judge = new Judge(valkey, LIMITS_SCRIPT, true)
    const tally = await judge.judgeCalls(seed, calls, MISMATCHES_SHOWN)
    const seconds = (performance.now() - startedMs) / 1000
    console.log(`${tally.calls} calls in ${seconds.toFixed(1)} s`)
    if (tally.mismatches > 0) run.fail(`${tally.mismatches} decisions differ from the model's`)
    if (tally.calls < calls) run.fail(`only ${tally.calls} calls were judged`)
    const mutants = readMutants()
    let caught = 0
    for (const { name, script } of mutants) {
      const { mismatches, errors } = await new Judge(valkey, script, false).judgeCalls(
        seed,
        MUTANT_CALLS,
        1,
      )
      // A script that breaks is noticed anyway; only a wrong decision shows what the proof sees.
      if (mismatches > errors) caught += 1
      else run.fail(`survived: ${name} (${errors} errors)`)
    }
    return {
      calls: tally.calls,
      admissions: tally.admissions,
      mismatches: tally.mismatches,
      mutants: `${caught}/${mutants.length}`,
    }
  },
  { calls: { type: 'string' } },
)
