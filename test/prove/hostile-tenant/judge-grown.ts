import type { ProofRun } from '../../harness/proof.ts'

/** The heap grows and shrinks by this much without any body. */
export const NOISE_BYTES = 32 * 1024 * 1024

const FAILING = 20_000
const SHORT_FAILING = 8_000
const SOAK_FAILING = 200_000
/** The heap has its size after so many: 115 MiB more were left after 60,000 and after 120,000. */
const HEAP_GROWS_FOR = 60_000

/** How many failing requests a run sends. */
export function countFailing({ soak, short, values }: ProofRun): number {
  return Number(values['failing'] ?? (soak ? SOAK_FAILING : short ? SHORT_FAILING : FAILING))
}

type Grown = { readonly failing: number; readonly all: number; readonly secondHalf: number }

/** Few requests may leave the size of a heap that grows; of many the second half leaves nothing. */
export function judgeGrown(run: ProofRun, { failing, all, secondHalf }: Grown): void {
  if (failing <= FAILING && all > 2 * NOISE_BYTES)
    run.fail(`${failing} failing requests leave ${all} bytes`)
  if (failing >= 2 * HEAP_GROWS_FOR && secondHalf > NOISE_BYTES)
    run.fail(`the second half of ${failing} failing requests leaves ${secondHalf} bytes`)
}
