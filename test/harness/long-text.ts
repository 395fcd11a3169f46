import assert from 'node:assert/strict'
import { LongText } from '../../src/lib/json/long-text.ts'
import { parseJson } from '../../src/lib/parse-json.ts'

/** A text as the parser of bodies keeps it. It must be long, and without rare escapes. */
export function longTextOf(text: string): LongText {
  const json = Buffer.from(JSON.stringify([text]))
  const bytes = Buffer.allocUnsafeSlow(json.length)
  bytes.set(json)
  const parsed = parseJson(bytes, { longTexts: /^\[0\]$/ })
  assert.ok(parsed.ok)
  const [kept] = parsed.value as unknown[]
  assert.ok(kept instanceof LongText)
  return kept
}
