import { CHAT_BOUNDS, STOP_SEQUENCES_MAX } from '../../../../../src/contract/chat-bounds.ts'
import type { PlaygroundSearch } from '../search.ts'

export type NumberName = keyof typeof CHAT_BOUNDS | 'max_completion_tokens' | 'seed'

type Bounds = {
  readonly minimum: number
  readonly maximum: number
  readonly whole?: true
}

/** The numbers of a request with the bounds of the contract. */
export const NUMBERS: Readonly<Record<NumberName, Bounds>> = {
  ...CHAT_BOUNDS,
  max_completion_tokens: { minimum: 1, maximum: Number.MAX_SAFE_INTEGER, whole: true },
  seed: { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, whole: true },
}
export const NUMBER_NAMES = Object.keys(NUMBERS) as NumberName[]

/** The number that a field holds; undefined if it is empty, null if it is not allowed. */
export function readNumber(name: NumberName, text: string | undefined): number | undefined | null {
  if (text === undefined || text.trim() === '') return undefined
  const value = Number(text)
  const { minimum, maximum, whole } = NUMBERS[name]
  if (!Number.isFinite(value) || value < minimum || value > maximum) return null
  return whole === true && !Number.isSafeInteger(value) ? null : value
}

/** Stop sequences, one in each line. Null if there are too many. */
export function readStop(text: string | undefined): readonly string[] | undefined | null {
  const lines = (text ?? '').split('\n').filter((line) => line !== '')
  if (lines.length === 0) return undefined
  return lines.length > STOP_SEQUENCES_MAX ? null : lines
}

/** The first setting that cannot be sent as it is. */
export function findInvalid(search: PlaygroundSearch): NumberName | 'stop' | undefined {
  const number = NUMBER_NAMES.find((name) => readNumber(name, search[name]) === null)
  return number ?? (readStop(search.stop) === null ? 'stop' : undefined)
}
