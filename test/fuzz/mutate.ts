import type { Random } from '../harness/figures/random.ts'

/** Bytes at the borders of UTF-8, ASCII and the syntaxes that are fuzzed. */
const BYTES = [
  0, 1, 8, 9, 10, 13, 31, 32, 34, 39, 40, 44, 45, 46, 47, 48, 57, 58, 59, 61, 91, 92, 93, 123, 125,
  126, 127, 128, 191, 192, 194, 224, 237, 240, 244, 248, 255,
]
const REPEATS_MAX = 64
const EDITS_MAX = 6
const NUMBERS = [
  '0',
  '-0',
  '-1',
  '1e400',
  '9007199254740993',
  '4294967296',
  '0x10',
  '1.5',
  'NaN',
  '',
]

type Mutation = (input: Buffer, random: Random, dictionary: readonly Buffer[]) => Buffer

/** Changes an input a few times. */
export function mutate(
  input: Buffer,
  other: Buffer,
  random: Random,
  dictionary: readonly Buffer[],
  lengthMax: number,
): Buffer {
  let mutated = random.chance(0.15) ? splice(input, other, random) : input
  for (let edits = random.between(1, EDITS_MAX); edits > 0; edits -= 1)
    mutated = random.pick(MUTATIONS)(mutated, random, dictionary)
  return mutated.subarray(0, lengthMax)
}

const MUTATIONS: readonly Mutation[] = [
  (input, random) => {
    const copy = Buffer.from(input)
    if (copy.length > 0) copy[at(copy, random)] = random.between(0, 255)
    return copy
  },
  (input, random) => {
    const copy = Buffer.from(input)
    const index = at(copy, random)
    if (copy.length > 0) copy[index] = (copy[index] as number) ^ (1 << random.between(0, 7))
    return copy
  },
  (input, random) => replace(input, place(input, random), Buffer.from([random.pick(BYTES)])),
  (input, random, dictionary) =>
    dictionary.length === 0 ? input : replace(input, place(input, random), random.pick(dictionary)),
  (input, random, dictionary) =>
    dictionary.length === 0 ? input : replace(input, span(input, random), random.pick(dictionary)),
  (input, random) => replace(input, span(input, random), Buffer.alloc(0)),
  (input, random) => {
    const [from, to] = span(input, random)
    return replace(input, place(input, random), input.subarray(from, to))
  },
  (input, random) => {
    const [from, to] = span(input, random)
    const repeated = Array.from({ length: random.between(2, REPEATS_MAX) }, () =>
      input.subarray(from, to),
    )
    return replace(input, [from, to], Buffer.concat(repeated))
  },
  (input, random) => {
    const numbers = [...input.toString('latin1').matchAll(/\d+/g)]
    if (numbers.length === 0) return input
    const { index, 0: digits } = random.pick(numbers)
    const changed = random.chance(0.5)
      ? random.pick(NUMBERS)
      : String(Number(digits) + random.pick([-1, 1, 1000, 65_536]))
    return replace(input, [index, index + digits.length], Buffer.from(changed))
  },
]

type Span = readonly [from: number, to: number]

function at(input: Buffer, random: Random): number {
  return random.between(0, Math.max(0, input.length - 1))
}

function place(input: Buffer, random: Random): Span {
  const index = random.between(0, input.length)
  return [index, index]
}

/** Mostly short: a long span destroys what was found. */
function span(input: Buffer, random: Random): Span {
  const from = random.between(0, input.length)
  const most = random.chance(0.8) ? 16 : input.length
  return [from, Math.min(input.length, from + random.between(0, most))]
}

function replace(input: Buffer, [from, to]: Span, inserted: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, from), inserted, input.subarray(to)])
}

function splice(input: Buffer, other: Buffer, random: Random): Buffer {
  const [cut] = place(input, random)
  const [from] = place(other, random)
  return Buffer.concat([input.subarray(0, cut), other.subarray(from)])
}
