import { readFileSync } from 'node:fs'
import { readDurations } from './durations.ts'

/** A line of test/prove/ci.txt. */
export type CiProof = {
  readonly name: string
  readonly options: readonly string[]
  /** Whether it may run at the same time as others of this kind. */
  readonly beside: boolean
}

const LIST = new URL('../prove/ci.txt', import.meta.url)
/** What a proof that nobody has timed is taken for. */
const UNKNOWN_SECONDS = 60

/** The same random inputs each time, so that a change fails for what it changed. */
export const CI_SEED = 20_261_116

export function readCiProofs(text: string = readFileSync(LIST, 'utf8')): CiProof[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [command = '', how = ''] = line.split('|').map((part) => part.trim())
      if (how !== '' && how !== 'beside') throw new Error(`ci.txt: ${line}: "beside" or nothing`)
      const [name = '', ...options] = command.split(/\s+/)
      return { name, options, beside: how === 'beside' }
    })
}

/** Gives each proof, the longest first, to the shard that has least to do. Counts from 1. */
export function chooseShard(
  proofs: readonly CiProof[],
  shard: number,
  shards: number,
  known: Readonly<Record<string, number>> = readDurations().proofs,
): CiProof[] {
  const secondsOf = ({ name }: CiProof) => known[name] ?? UNKNOWN_SECONDS
  const loads = Array.from({ length: shards }, () => ({ seconds: 0, names: new Set<string>() }))
  for (const proof of proofs.toSorted((one, other) => secondsOf(other) - secondsOf(one))) {
    const least = loads.reduce((one, other) => (other.seconds < one.seconds ? other : one))
    least.seconds += secondsOf(proof)
    least.names.add(proof.name)
  }
  return proofs.filter(({ name }) => loads[shard - 1]?.names.has(name) ?? false)
}
