// The live meters say what the rate-limit headers of an admission at that moment say.
// covers: src/store/limits/** src/tenancy/**
import { isDeepStrictEqual } from 'node:util'
import { LIMITS_SCRIPT, limitsCall, readReply } from '../../src/store/limits/limits-call.ts'
import { PEEK_SCRIPT, peekCall, readPeeked } from '../../src/store/limits/peek.ts'
import { scriptCaller, type ScriptCall } from '../../src/store/valkey/scripts.ts'
import type { Valkey } from '../../src/store/valkey/valkey.ts'
import { readMeters, type Meters } from '../../src/tenancy/meters.ts'
import type { LimitsAsk, LimitsDecision } from '../../src/tenancy/rate-limits.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { createRandom } from '../harness/figures/random.ts'
import { connectValkey, startValkey } from '../harness/servers/valkey.ts'
import { LimitsModel } from './limits/model.ts'
import { nextAsks, startScenario } from './limits/scenario.ts'

const ADMISSIONS = 100_000
const SHORT_ADMISSIONS = 5_000
const SOAK_ADMISSIONS = 2_000_000
const SCENARIO_CALLS = 100
const AT_ONCE = 32
const MISMATCHES_SHOWN = 3

const CLOCK = "local time = redis.call('TIME')"
const TEST_CLOCK = 'local time = { table.remove(ARGV, #ARGV - 1), table.remove(ARGV) }'
const KEYS = ['limits', 'version', 'open', 'leases', 'funds', 'key:', 'running'] as const

type Run = (call: ScriptCall, clock: readonly number[]) => Promise<unknown>

/** A script whose clock the proof sets. */
async function clocked(valkey: Valkey, script: string): Promise<Run> {
  if (script.split(CLOCK).length !== 2) throw new Error('the script reads its clock otherwise')
  const changed = script.replace(CLOCK, () => TEST_CLOCK)
  await valkey.call('SCRIPT', ['LOAD', changed])
  const evaluate = scriptCaller(valkey, changed)
  return ({ keys, args }, clock) => evaluate({ keys, args: [...args, ...clock] })
}

class Judge {
  readonly tally = { admissions: 0, refusals: 0, mismatches: 0 }
  readonly #valkey: Valkey
  readonly #admit: Run
  readonly #peek: Run

  constructor(valkey: Valkey, admit: Run, peek: Run) {
    this.#valkey = valkey
    this.#admit = admit
    this.#peek = peek
  }

  get #judged(): number {
    return this.tally.admissions + this.tally.refusals
  }

  async judge({ seed }: ProofRun, admissions: number): Promise<void> {
    const seeds = createRandom(seed)
    const work = async () => {
      while (this.#judged < admissions) await this.#judgeScenario(seeds.between(0, 2 ** 32 - 1))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }

  async #judgeScenario(seed: number): Promise<void> {
    const random = createRandom(seed)
    const tag = random.between(0, 2 ** 52)
    const keys = KEYS.map((name) => `{${tag}}:${name}`)
    const scenario = startScenario(random)
    const model = new LimitsModel()
    let last: LimitsDecision | undefined
    for (let step = 0; step < SCENARIO_CALLS; step += 1) {
      const asks = nextAsks(scenario, step, last, model)
      model.decide(scenario.nowMs, asks)
      const clock = [Math.floor(scenario.nowMs / 1000), (scenario.nowMs % 1000) * 1000]
      const before = await this.#metersAt(keys, clock, asks[0]!)
      const reply = await this.#admit({ keys, args: limitsCall(asks).args }, clock)
      const decisions = readReply(reply, asks)
      const after = await this.#metersAt(keys, clock, asks[0]!)
      // The first request of a call that is refused changes nothing.
      this.#compare(decisions[0], before, 'refused')
      this.#compare(decisions.at(-1), after)
      last = decisions.at(-1)
    }
    await this.#valkey.call('DEL', keys)
  }

  async #metersAt(keys: readonly string[], clock: readonly number[], ask: LimitsAsk) {
    const [limits = '', , , , funds = '', , running = ''] = keys
    const call = peekCall([limits, funds, running], ask.organizationId)
    return readMeters(ask.limits, ask.funds, readPeeked(await this.#peek(call, clock)))
  }

  #compare(decision: LimitsDecision | undefined, meters: Meters, only?: 'refused'): void {
    if (decision === undefined || !('capacities' in decision)) return
    if (only !== undefined && decision.kind !== only) return
    if (decision.kind === 'refused') this.tally.refusals += 1
    else this.tally.admissions += 1
    if (isDeepStrictEqual(meters.capacities, decision.capacities)) return
    this.tally.mismatches += 1
    if (this.tally.mismatches <= MISMATCHES_SHOWN) console.dir({ decision, meters }, { depth: 8 })
  }
}

await runProof('meters', async (run) => {
  const usual = run.short ? SHORT_ADMISSIONS : ADMISSIONS
  const admissions = run.soak ? SOAK_ADMISSIONS : usual
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url])
  const [admit, peek] = [await clocked(valkey, LIMITS_SCRIPT), await clocked(valkey, PEEK_SCRIPT)]
  const judge = new Judge(valkey, admit, peek)
  await judge.judge(run, admissions)
  const { mismatches, ...judged } = judge.tally
  if (mismatches > 0) run.fail(`${mismatches} meters differ from the headers`)
  return { ...judged, mismatches }
})
