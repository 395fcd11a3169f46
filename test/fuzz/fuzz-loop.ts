import { createRandom, type Random } from '../harness/figures/random.ts'
import type { Coverage } from './coverage.ts'
import { mutate } from './mutate.ts'
import type { FuzzTarget } from './target.ts'
import type { Watchdog } from './watchdog.ts'

export type FuzzOptions = {
  readonly seed: number
  readonly untilMs: number
  readonly executionsMax: number
  readonly corpus: readonly Buffer[]
  readonly coverage: Coverage
  readonly watchdog: Watchdog
}

export type FuzzResult = {
  readonly executions: number
  /** Inputs that reached something new, beyond the corpus that was given. */
  readonly found: readonly Buffer[]
  readonly failure: Failure | undefined
}

export type Failure = { readonly input: Buffer; readonly error: unknown }

/** More than any input of a few kilobytes may cost. */
const CPU_MS_MAX = 500
const ATTEMPTS = 3
const MINIMISING_RUNS_MAX = 3_000
const GENERATED_SHARE = 0.15
/** The newest inputs reached something that the others do not. */
const RECENT = 32

/** Runs a target with changed inputs until a bound is reached or something fails. */
export async function fuzz(target: FuzzTarget, options: FuzzOptions): Promise<FuzzResult> {
  const { coverage, watchdog } = options
  const random = createRandom(options.seed)
  const dictionary = target.dictionary.map((text) => Buffer.from(text))
  const inputs: Buffer[] = []
  const found: Buffer[] = []
  let executions = 0
  const tryOne = async (input: Buffer, given: boolean): Promise<Failure | undefined> => {
    executions += 1
    watchdog.begin(input)
    coverage.reset()
    const error = await errorOf(target, input)
    if (error !== undefined) return { input, error }
    if (coverage.isNew()) {
      inputs.push(input)
      if (!given) found.push(input)
    } else if (given) inputs.push(input)
    return undefined
  }
  for (const input of [...target.seeds, ...options.corpus]) {
    const failure = await tryOne(input, true)
    if (failure !== undefined) return { executions, found, failure }
  }
  while (executions < options.executionsMax && performance.now() < options.untilMs) {
    const input = nextInput(target, inputs, random, dictionary)
    const failure = await tryOne(input, false)
    if (failure !== undefined)
      return { executions, found, failure: await minimise(target, failure) }
    // Timers and signals get their turn even if a target is synchronous.
    if (executions % 1_000 === 0) await new Promise(setImmediate)
  }
  return { executions, found, failure: undefined }
}

function nextInput(
  target: FuzzTarget,
  inputs: readonly Buffer[],
  random: Random,
  dictionary: readonly Buffer[],
): Buffer {
  const generated = target.generate !== undefined && random.chance(GENERATED_SHARE)
  const recent = random.chance(0.5) ? inputs.slice(-RECENT) : inputs
  const input = generated ? target.generate?.(random) : random.pick(recent)
  if (input === undefined) throw new Error('a target needs a seed')
  if (generated && random.chance(0.5)) return input.subarray(0, target.lengthMax)
  return mutate(input, random.pick(inputs), random, dictionary, target.lengthMax)
}

/** The shortest of the found inputs that together reach what the corpus does not. */
export async function selectFound(
  target: FuzzTarget,
  corpus: readonly Buffer[],
  found: readonly Buffer[],
  coverage: Coverage,
): Promise<Buffer[]> {
  coverage.forget()
  const reachesMore = async (input: Buffer) => {
    coverage.reset()
    await errorOf(target, input)
    return coverage.isNew()
  }
  for (const input of [...target.seeds, ...corpus]) await reachesMore(input)
  const selected: Buffer[] = []
  for (const input of found.toSorted((a, b) => a.length - b.length))
    if (await reachesMore(input)) selected.push(input)
  return selected
}

/** Undefined if every guarantee holds, the bound of processor time included. */
export async function errorOf(target: FuzzTarget, input: Buffer): Promise<unknown> {
  let leastMs = Infinity
  for (let attempt = 0; attempt < ATTEMPTS && leastMs > CPU_MS_MAX; attempt += 1) {
    const start = process.cpuUsage()
    try {
      await target.check(input)
    } catch (error) {
      return error ?? new Error('threw nothing')
    }
    const { user, system } = process.cpuUsage(start)
    leastMs = Math.min(leastMs, (user + system) / 1000)
  }
  return leastMs > CPU_MS_MAX ? new Error(`took ${leastMs} ms of processor time`) : undefined
}

/** Removes parts of a failing input as long as it fails. */
async function minimise(target: FuzzTarget, failure: Failure): Promise<Failure> {
  let smallest = failure
  let runs = 0
  for (let size = Math.ceil(failure.input.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < smallest.input.length && runs < MINIMISING_RUNS_MAX; runs += 1) {
      const { input } = smallest
      const shorter = Buffer.concat([input.subarray(0, at), input.subarray(at + size)])
      const error = await errorOf(target, shorter)
      if (error === undefined || kindOf(error) !== kindOf(failure.error)) at += size
      else smallest = { input: shorter, error }
    }
  }
  return smallest
}

/** The beginning of the message, which does not quote the input. */
function kindOf(error: unknown): string {
  return String(error).split(':', 2).join(':').slice(0, 60)
}
