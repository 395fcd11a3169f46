import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { constants, inflateRawSync, inflateSync } from 'node:zlib'
import type { Form } from './forms.ts'

export type Hit = {
  readonly file: string
  readonly form: string
  /** The text around it, to find the leak. */
  readonly around: string
}

export type Scan = {
  readonly hits: readonly Hit[]
  readonly files: number
  readonly bytes: number
  readonly expanded: number
}

/** Files are read in windows that overlap, so that no canary is split by a border. */
const WINDOW_BYTES = 64 * 1024 * 1024
const OVERLAP_BYTES = 64 * 1024
/** The part of a compressed stream that is scanned, and the most of a file that it may take. */
const EXPANDED_BYTES_MAX = 16 * 1024 * 1024
const COMPRESSED_BYTES_MAX = 1024 * 1024
/** Shorter ones cannot contain a canary. */
const COMPRESSED_BYTES_MIN = 8
/** Most data that only looks compressed fails this early. */
const BEGINNING_BYTES = 32
const GZIP_HEAD_BYTES_MAX = 1024
const AROUND_BYTES = 60

const GZIP = Buffer.from([0x1f, 0x8b, 0x08])
const ZLIB_LEVELS = new Set([0x01, 0x5e, 0x9c, 0xda])

/** Searches every byte of every file below the folder, also inside compressed streams. */
export function scanFolder(folder: string, forms: readonly Form[], expands = true): Scan {
  const scan = { hits: [] as Hit[], files: 0, bytes: 0, expanded: 0 }
  for (const file of filesBelow(folder)) {
    scan.files += 1
    // File names count too.
    find(Buffer.from(file), `${file} (its name)`, forms, scan.hits)
    for (const window of windowsOf(file)) {
      scan.bytes += window.length
      find(window, file, forms, scan.hits)
      if (expands) scan.expanded += expand(window, file, forms, scan.hits)
    }
  }
  return scan
}

export function scanText(name: string, text: string, forms: readonly Form[]): Hit[] {
  const hits: Hit[] = []
  find(Buffer.from(text), name, forms, hits)
  return hits
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    const found = lstatSync(path)
    if (found.isDirectory()) return filesBelow(path)
    return found.isFile() ? [path] : []
  })
}

function* windowsOf(file: string): Generator<Buffer, void> {
  const descriptor = openSync(file, 'r')
  try {
    const { size } = fstatSync(descriptor)
    for (let start = 0; start < size; start += WINDOW_BYTES) {
      const window = Buffer.alloc(Math.min(WINDOW_BYTES + OVERLAP_BYTES, size - start))
      const read = readSync(descriptor, window, 0, window.length, start)
      yield window.subarray(0, read)
    }
  } finally {
    closeSync(descriptor)
  }
}

function find(bytes: Buffer, file: string, forms: readonly Form[], hits: Hit[]): void {
  for (const form of forms) {
    let at = bytes.indexOf(form.bytes)
    // One hit per form and file is enough to fail; a leak would cause thousands.
    if (at === -1) continue
    at = Math.max(0, at - AROUND_BYTES)
    const around = bytes.subarray(at, at + form.bytes.length + 2 * AROUND_BYTES).toString('latin1')
    hits.push({ file, form: form.name, around: around.replaceAll(/[^ -~]/g, '.') })
  }
}

/** Tries to expand from every byte where a compressed stream could begin. */
function expand(bytes: Buffer, file: string, forms: readonly Form[], hits: Hit[]): number {
  let count = 0
  const look = (at: number, name: string, open: typeof inflateSync) => {
    const plain = tryOpen(bytes.subarray(at, at + COMPRESSED_BYTES_MAX), open)
    if (plain === undefined || plain.length === 0) return
    count += 1
    find(plain, `${file} (${name} at ${at})`, forms, hits)
  }
  for (let at = bytes.indexOf(GZIP); at !== -1; at = bytes.indexOf(GZIP, at + 1))
    look(at + gzipHeadBytes(bytes.subarray(at, at + GZIP_HEAD_BYTES_MAX)), 'gzip', inflateRawSync)
  for (let at = bytes.indexOf(0x78); at !== -1; at = bytes.indexOf(0x78, at + 1))
    if (ZLIB_LEVELS.has(bytes[at + 1] ?? 0)) look(at, 'zlib', inflateSync)
  look(0, 'deflate', inflateRawSync)
  return count
}

/**
 * The header is skipped by hand, because Node takes the bytes after a member for another member and
 * then returns nothing at all.
 */
function gzipHeadBytes(head: Buffer): number {
  const flags = head[3] ?? 0
  let at = 10
  if (flags & 4) at += 2 + (at + 2 <= head.length ? head.readUInt16LE(at) : 0)
  // A name and a comment, each up to a zero.
  for (const flag of [8, 16]) if (flags & flag) at = head.indexOf(0, at) + 1
  return flags & 2 ? at + 2 : at
}

/**
 * A stream that is cut off yields what it contains, but one that is followed by other bytes fails
 * as a whole. So ever shorter beginnings are tried.
 */
function tryOpen(bytes: Buffer, open: typeof inflateSync): Buffer | undefined {
  if (openOnce(bytes.subarray(0, BEGINNING_BYTES), open) === undefined) return undefined
  for (let length = bytes.length; length >= COMPRESSED_BYTES_MIN; length = Math.ceil(length / 4)) {
    const plain = openOnce(bytes.subarray(0, length), open)
    if (plain !== undefined) return plain
  }
  return undefined
}

function openOnce(bytes: Buffer, open: typeof inflateSync): Buffer | undefined {
  try {
    const finishFlush = constants.Z_SYNC_FLUSH
    return open(bytes, { finishFlush, maxOutputLength: EXPANDED_BYTES_MAX })
  } catch {
    return undefined
  }
}
