import { randomBytes } from 'node:crypto'

/** The bytes of a canary in one encoding. */
export type Form = { readonly name: string; readonly bytes: Buffer }

/**
 * All canaries of a run begin with the same mark, so that one search finds any of them. It is
 * short, so that a message that quotes a few letters around an error is caught too, and long enough
 * not to occur by chance: 2^41 possibilities, and never a word.
 */
export function createMark(): string {
  const letters = 'bcdfghjklmnpqrstvwxz0123456789'
  const drawn = Array.from(randomBytes(7), (byte) => letters[byte % letters.length])
  return `q${drawn.join('')}`
}

/** What follows the mark in a field that nobody may get: no engine, and no retained content. */
export const IGNORED = 'ignored'

/** Letters and digits are not escaped in JSON, URLs and SQL, so `raw` covers those. */
export function formsOf(mark: string): Form[] {
  const bytes = Buffer.from(mark)
  const codes = [...bytes].map((byte) => byte.toString(16).padStart(2, '0'))
  const texts: [string, string][] = [
    ['raw', mark],
    ['raw in capitals', mark.toUpperCase()],
    ['hex', codes.join('')],
    ['hex in capitals', codes.join('').toUpperCase()],
    ['hex with spaces', codes.join(' ')],
    ['JSON escapes', codes.map((code) => `\\u00${code}`).join('')],
    ['JSON escapes in capitals', codes.map((code) => `\\u00${code.toUpperCase()}`).join('')],
    ['URL escapes', codes.map((code) => `%${code}`).join('')],
    ['URL escapes in capitals', codes.map((code) => `%${code.toUpperCase()}`).join('')],
    ['C escapes', codes.map((code) => `\\x${code}`).join('')],
  ]
  return [
    ...texts.map(([name, text]) => ({ name, bytes: Buffer.from(text) })),
    { name: 'UTF-16LE', bytes: Buffer.from(mark, 'utf16le') },
    { name: 'UTF-16BE', bytes: Buffer.from(mark, 'utf16le').swap16() },
    ...base64Forms(bytes, 'base64'),
    ...base64Forms(bytes, 'base64url'),
  ]
}

/** Three bytes are four letters in base64, so a text has three alignments. */
function base64Forms(bytes: Buffer, encoding: 'base64' | 'base64url'): Form[] {
  return [0, 1, 2].map((phase) => {
    const text = Buffer.concat([Buffer.alloc(phase), bytes])
      .toString(encoding)
      .replaceAll('=', '')
    // Letters that also depend on the bytes before and after are left out.
    const from = Math.ceil((phase * 8) / 6)
    const to = Math.floor(((phase + bytes.length) * 8) / 6)
    return { name: `${encoding} at ${phase}`, bytes: Buffer.from(text.slice(from, to)) }
  })
}
