import { randomBytes } from 'node:crypto'

/** What a canary looks like once something has encoded it. */
export type Form = { readonly name: string; readonly bytes: Buffer }

/**
 * All canaries of a run begin with the same letters, so that one look finds any of them. It is
 * short, so that a message that quotes a few letters around a fault is caught too, and long enough
 * that chance does not make it: 2^41 possibilities, and never a word.
 */
export function createMark(): string {
  const letters = 'bcdfghjklmnpqrstvwxz0123456789'
  const drawn = Array.from(randomBytes(7), (byte) => letters[byte % letters.length])
  return `q${drawn.join('')}`
}

/** Letters and digits stay as they are in JSON, in URLs and in SQL, so `raw` covers those. */
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

/** Three bytes are four letters, so there are three ways to stand in base64. */
function base64Forms(bytes: Buffer, encoding: 'base64' | 'base64url'): Form[] {
  return [0, 1, 2].map((phase) => {
    const text = Buffer.concat([Buffer.alloc(phase), bytes])
      .toString(encoding)
      .replaceAll('=', '')
    // Letters that also depend on what stands before and after are left out.
    const from = Math.ceil((phase * 8) / 6)
    const to = Math.floor(((phase + bytes.length) * 8) / 6)
    return { name: `${encoding} at ${phase}`, bytes: Buffer.from(text.slice(from, to)) }
  })
}
