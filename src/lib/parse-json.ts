import { isAscii, isUtf8 } from 'node:buffer'
import { formatJsonPath } from './json-path.ts'
import { scanJson } from './json/scan-json.ts'

// Every recursive consumer of the body (JSON.stringify, a schema check, an engine's own parser) has
// a limited stack; real bodies with a tool schema of ten levels stay below 50.
export const JSON_DEPTH_MAX = 64

// Counted before JSON.parse, which is the slow part: 400,000 distinct keys in 4.5 MiB block the
// event loop for almost half a second. Text in strings does not count.
export const JSON_TOKENS_MAX = 100_000

// Each completes a sentence about the text or the value. The sentences are public, so none quotes
// the text.
export const JSON_ERRORS = {
  not_utf8: 'must be encoded as UTF-8',
  byte_order_mark: 'must not begin with a byte order mark',
  not_json: 'must be valid JSON',
  nul_character: 'must not contain the NUL character (U+0000)',
  too_deep: `must be nested at most ${JSON_DEPTH_MAX} levels deep`,
  too_many_values: `must have at most ${JSON_TOKENS_MAX} structural characters`,
  duplicate_key: 'must not repeat a key within one object',
  forbidden_key: 'must not contain a key that could change the prototype of an object',
  lone_surrogate: 'must not contain an unpaired surrogate (half a character)',
  number_out_of_range: 'must be a finite number, and an integer between -(2^53 - 1) and 2^53 - 1',
} as const satisfies Record<string, string>

export type JsonError = keyof typeof JSON_ERRORS

// `path` is that of the invalid value, or for an invalid key that of its object; absent at the
// root.
type JsonViolation = { readonly ok: false; readonly error: JsonError; readonly path?: string }

// `tokens` is the number of structural characters.
export type ParsedJson =
  | { readonly ok: true; readonly value: unknown; readonly tokens: number }
  | JsonViolation

export type JsonRules = {
  readonly tokensMax?: number
  // Rejects integers that a double cannot represent.
  readonly exactIntegers?: boolean
}

// Parses text of a client and rejects anything that later code could misread. Never throws, and
// takes time linear in the number of bytes.
export function parseJson(
  bytes: Uint8Array,
  { tokensMax = JSON_TOKENS_MAX, exactIntegers = true }: JsonRules = {},
): ParsedJson {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!isUtf8(body)) return invalid('not_utf8')
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return invalid('byte_order_mark')

  const scan = scanJson(body, { tokensMax, depthMax: JSON_DEPTH_MAX })
  if (typeof scan === 'string') return invalid(scan)
  const { members, tokens } = scan
  let value: unknown
  try {
    value = JSON.parse(body.toString(isAscii(body) ? 'latin1' : 'utf8'))
  } catch {
    // The error's own message quotes the body, so it is dropped. An unescaped NUL is never valid
    // JSON, so this is the only place to look for one.
    return invalid(body.includes(0) ? 'nul_character' : 'not_json')
  }
  return inspect(value, members, exactIntegers) ?? { ok: true, value, tokens }
}

function invalid(error: JsonError, path = ''): JsonViolation {
  return path === '' ? { ok: false, error } : { ok: false, error, path }
}

type Frame = {
  readonly container: Record<string, unknown> | readonly unknown[]
  // Undefined for an array.
  readonly keys: readonly string[] | undefined
  readonly length: number
  next: number
}

// Walks the parsed value in the order of the text. JSON.parse keeps the last of two equal keys, so
// the tree has fewer keys than the text has members exactly when a key was repeated. Comparing the
// two counts also finds keys that are spelled with different escapes.
function inspect(
  root: unknown,
  membersInText: number,
  exactIntegers: boolean,
): JsonViolation | undefined {
  const frames: Frame[] = []
  let keysInTree = 0
  let value = root
  for (;;) {
    if (typeof value === 'object' && value !== null) {
      const frame = openFrame(value)
      if (frame.keys !== undefined) {
        keysInTree += frame.keys.length
        const error = checkKeys(frame.keys, frame.container as Record<string, unknown>)
        if (error !== undefined) return invalid(error, pathTo(frames))
      }
      frames.push(frame)
    } else {
      const error = checkScalar(value, exactIntegers)
      if (error !== undefined) return invalid(error, pathTo(frames))
    }

    let frame = frames.at(-1)
    while (frame !== undefined && frame.next === frame.length) {
      frames.pop()
      frame = frames.at(-1)
    }
    if (frame === undefined) break
    value = memberAt(frame, frame.next++)
  }
  return keysInTree === membersInText ? undefined : invalid('duplicate_key')
}

function openFrame(container: object): Frame {
  if (Array.isArray(container)) {
    return { container, keys: undefined, length: container.length, next: 0 }
  }
  const keys = Object.keys(container)
  const record = container as Record<string, unknown>
  return { container: record, keys, length: keys.length, next: 0 }
}

function memberAt(frame: Frame, index: number): unknown {
  if (frame.keys === undefined) return (frame.container as readonly unknown[])[index]
  return (frame.container as Record<string, unknown>)[frame.keys[index] as string]
}

// The `next` of every frame is already one past the current member.
function pathTo(frames: readonly Frame[]): string {
  return formatJsonPath(frames.map(({ keys, next }) => keys?.[next - 1] ?? next - 1))
}

function checkKeys(
  keys: readonly string[],
  container: Record<string, unknown>,
): JsonError | undefined {
  for (const key of keys) {
    const error = checkText(key)
    if (error !== undefined) return error
    if (key === '__proto__') return 'forbidden_key'
    // A tool may have a property named `constructor`; only the two keys together reach a prototype,
    // if careless code merges them into an object.
    if (key === 'constructor') {
      const inner = container[key]
      if (typeof inner === 'object' && inner !== null && Object.hasOwn(inner, 'prototype')) {
        return 'forbidden_key'
      }
    }
  }
  return undefined
}

function checkScalar(value: unknown, exactIntegers: boolean): JsonError | undefined {
  if (typeof value === 'string') return checkText(value)
  if (typeof value !== 'number') return undefined
  if (!exactIntegers) return Number.isFinite(value) ? undefined : 'number_out_of_range'
  // Above 2^53 neighbouring integers share one double: the engine would get another number than the
  // caller sent.
  const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)
  return isExact ? undefined : 'number_out_of_range'
}

// Both come from `\u` escapes only: the bytes were UTF-8, and JSON has no raw NUL.
function checkText(text: string): JsonError | undefined {
  if (text.includes('\0')) return 'nul_character'
  return text.isWellFormed() ? undefined : 'lone_surrogate'
}
