import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { formsOf, type Form } from './forms.ts'
import { scanFolder } from './scan.ts'

type Encode = (text: string) => string | Buffer

/** Encoded by other code than the forms that are searched, as a leak would be. */
const ENCODINGS: Readonly<Record<string, Encode>> = {
  raw: (text) => text,
  capitals: (text) => text.toUpperCase(),
  json: (text) => JSON.stringify({ deep: JSON.stringify({ text: `"${text}"\n` }) }),
  'json escapes': (text) => text.replaceAll(/./g, (letter) => `\\u${code(letter, 4)}`),
  url: (text) => encodeURIComponent(`?${text}&é`),
  'url escapes': (text) => text.replaceAll(/./g, (letter) => `%${code(letter, 2)}`),
  'base64 at 0': (text) => Buffer.from(text).toString('base64'),
  'base64 at 1': (text) => Buffer.from(`x${text}`).toString('base64'),
  'base64 at 2': (text) => Buffer.from(`xy${text}`).toString('base64'),
  base64url: (text) => Buffer.from(`ÿÿÿ${text}`).toString('base64url'),
  hex: (text) => Buffer.from(text).toString('hex'),
  'hex in capitals': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'hex as Node prints bytes': (text) => Buffer.from(text).toString('hex').replaceAll(/../g, '$& '),
  utf16le: (text) => Buffer.from(text, 'utf16le'),
  utf16be: (text) => Buffer.from(text, 'utf16le').swap16(),
  gzip: (text) => gzipSync(text),
  zlib: (text) => deflateSync(text),
  'gzip, cut off': (text) => gzipSync(text + randomBytes(9_999).toString('hex')).subarray(0, 5_000),
}

/** Plants canaries; throws unless the scan finds each of them and nothing else. */
export function testScanner(folder: string, mark: string): number {
  const forms = formsOf(mark)
  mkdirSync(folder)
  try {
    if (found(folder, forms, randomBytes(1_000_000)) > 0)
      throw new Error('the scan finds a canary in random bytes')
    const names = Object.entries(ENCODINGS)
    for (const [name, encode] of names) {
      const planted = Buffer.from(encode(`${mark}-1234`))
      // Within other bytes, and right at the border of two windows.
      for (const before of [12_345, 64 * 1024 * 1024 - 5]) {
        if (before > 1_000_000 && name !== 'raw') continue
        const bytes = Buffer.concat([Buffer.alloc(before, ' '), planted, randomBytes(999)])
        if (found(folder, forms, bytes) === 0) throw new Error(`the scan does not find ${name}`)
      }
    }
    if (found(folder, forms, deflateRawSync(`${mark}-1234`)) === 0)
      throw new Error('the scan does not find deflate')
    return names.length + 1
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function found(folder: string, forms: readonly Form[], bytes: Buffer): number {
  writeFileSync(join(folder, 'planted'), bytes)
  return scanFolder(folder, forms).hits.length
}

function code(letter: string, digits: number): string {
  return (letter.codePointAt(0) ?? 0).toString(16).padStart(digits, '0')
}
