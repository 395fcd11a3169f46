import { parseArgs, type ParseArgsConfig } from 'node:util'
import { endBySignal } from './end-by-signal.ts'
import { createRandom, type Random } from './figures/random.ts'

type Options = NonNullable<ParseArgsConfig['options']>

/** What a proof is given. */
export type ProofRun = {
  /** Everything random comes from the seed, so `--seed` repeats a run. */
  readonly seed: number
  readonly random: Random
  /** Whether the long form is wanted. */
  readonly soak: boolean
  /** Whether a quick form for a busy machine is wanted: less load, no bars in milliseconds. */
  readonly short: boolean
  /** Further options of the command line, as text. */
  readonly values: Readonly<Record<string, string | undefined>>
  /** Notes a broken guarantee. The proof goes on, to find more. */
  readonly fail: (what: string) => void
  readonly failures: readonly string[]
}

/** The figures of the result line, in order. */
export type Figures = Readonly<Record<string, string | number>>

const FAILURES_SHOWN = 20

/** The exit code of a proof whose tools are missing: neither passed nor failed. */
export const NOT_POSSIBLE_HERE = 3

/** Thrown by a proof that cannot run on this machine; the message says what is missing. */
export class NotPossibleHere extends Error {
  override readonly name = 'NotPossibleHere'
}

/**
 * Runs a proof: reads its options, prints the first failures when they happen and, as the last
 * line, the figures.
 * The exit code is 0 only if nothing failed and `prove` did not throw, and 3 if the proof needs
 * what this machine does not have.
 */
export async function runProof(
  name: string,
  prove: (run: ProofRun) => Promise<Figures>,
  options: Options = {},
): Promise<void> {
  endBySignal()
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      soak: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      ...options,
    },
  })
  const { soak, short, seed: given, ...others } = values
  const seed = Number(given ?? Math.floor(Math.random() * 2 ** 31))
  const failures: string[] = []
  const run: ProofRun = {
    seed,
    random: createRandom(seed),
    soak,
    short,
    values: others,
    // At once: a long run may be ended before its end.
    fail(what) {
      failures.push(what)
      if (failures.length <= FAILURES_SHOWN) console.log(what)
    },
    failures,
  }
  console.log(`seed ${seed}; repeat with --seed ${seed}`)
  let figures: Figures
  try {
    figures = await prove(run)
  } catch (error) {
    if (!(error instanceof NotPossibleHere)) {
      printHidden(error)
      throw error
    }
    console.log(`${name}: not possible here: ${error.message}`)
    process.exitCode = NOT_POSSIBLE_HERE
    return
  }
  if (failures.length > FAILURES_SHOWN) console.log(`and ${failures.length - FAILURES_SHOWN} more`)
  const shown = Object.entries({ ...figures, failures: failures.length, seed })
  console.log(`${name}: ${shown.map(([key, value]) => `${key}=${value}`).join(' ')}`)
  process.exitCode = failures.length === 0 ? 0 : 1
}

/** Node does not print the errors that a failed disposal hides. */
function printHidden(error: unknown): void {
  if (!(error instanceof SuppressedError)) return
  for (const hidden of [error.suppressed, error.error]) {
    if (!(hidden instanceof SuppressedError)) console.log(hidden)
    printHidden(hidden)
  }
}
