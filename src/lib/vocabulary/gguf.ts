import { closeSync, openSync, readSync } from 'node:fs'

/** A token of a model's vocabulary. `special`: the tokenizer itself says so. */
export type VocabularyToken = { readonly text: string; readonly special: boolean }

/** The file is not what it should be. The message says where, and never quotes the file. */
export class MalformedFile extends Error {
  override readonly name = 'MalformedFile'
}

/** Vocabularies have up to 300,000 tokens and heads up to 20 MiB; tensors follow, unread. */
const HEAD_BYTES_MAX = 128 * 1024 * 1024
const READ_BYTES = 1024 * 1024
const ENTRIES_MAX = 2_000_000

const VERSIONS = [2, 3]
const STRING = 8
const ARRAY = 9
/** Sizes of the values of fixed length, by type. */
const SIZES = new Map(
  Object.entries({ 1: [0, 1, 7], 2: [2, 3], 4: [4, 5, 6], 8: [10, 11, 12] }).flatMap(
    ([size, types]) => types.map((type) => [type, Number(size)]),
  ),
)

/** llama.cpp's types of tokens that are parsed in text; all others are ordinary. */
const CONTROL = 3
const USER_DEFINED = 4

export const GGUF_MAGIC = 'GGUF'

/** The control and user-defined tokens of a GGUF file. Reads its head only, a MiB at a time. */
export function readGgufTokens(path: string): VocabularyToken[] {
  const file = openSync(path, 'r')
  try {
    return readTokens(createCursor(file))
  } finally {
    closeSync(file)
  }
}

function readTokens(cursor: Cursor): VocabularyToken[] {
  if (cursor.bytes(4).toString('latin1') !== GGUF_MAGIC) throw new MalformedFile('no GGUF file')
  if (!VERSIONS.includes(cursor.integer(4))) throw new MalformedFile('unknown GGUF version')
  cursor.integer(8)
  const entries = cursor.integer(8)
  let texts: string[] | undefined
  let types: number[] | undefined
  for (let index = 0; index < entries && !(texts && types); index += 1) {
    const name = cursor.text()
    const type = cursor.integer(4)
    if (name === 'tokenizer.ggml.tokens' && type === ARRAY) texts = readArray(cursor).texts
    else if (name === 'tokenizer.ggml.token_type' && type === ARRAY)
      types = readArray(cursor).integers
    else skip(cursor, type)
  }
  if (texts === undefined || types === undefined) throw new MalformedFile('no vocabulary')
  return texts.flatMap((text, index) => {
    const type = types[index]
    return type === CONTROL || type === USER_DEFINED ? [{ text, special: type === CONTROL }] : []
  })
}

function readArray(cursor: Cursor): { readonly texts: string[]; readonly integers: number[] } {
  const { type, count } = arrayHead(cursor)
  const texts: string[] = []
  const integers: number[] = []
  for (let index = 0; index < count; index += 1) {
    if (type === STRING) texts.push(cursor.text())
    else integers.push(cursor.integer(sizeOf(type)))
  }
  return { texts, integers }
}

function skip(cursor: Cursor, type: number): void {
  if (type === STRING) cursor.skip(cursor.integer(8))
  else if (type !== ARRAY) cursor.skip(sizeOf(type))
  else {
    const { type: each, count } = arrayHead(cursor)
    if (each !== STRING) cursor.skip(count * sizeOf(each))
    else for (let index = 0; index < count; index += 1) cursor.skip(cursor.integer(8))
  }
}

function arrayHead(cursor: Cursor) {
  const type = cursor.integer(4)
  const count = cursor.integer(8)
  if (count > ENTRIES_MAX) throw new MalformedFile('too many entries')
  return { type, count }
}

function sizeOf(type: number): number {
  const size = SIZES.get(type)
  if (size === undefined) throw new MalformedFile('unknown type of value')
  return size
}

type Cursor = {
  bytes(count: number): Buffer
  /** Little-endian; as long as no value exceeds 2^53, signedness does not matter here. */
  integer(size: number): number
  text(): string
  skip(count: number): void
}

function createCursor(file: number): Cursor {
  let buffer = Buffer.alloc(0)
  /** Of the first byte of `buffer` in the file. */
  let start = 0
  let at = 0
  const need = (count: number) => {
    if (at + count <= buffer.length) return
    start += at
    if (start + count > HEAD_BYTES_MAX) throw new MalformedFile('head too long')
    buffer = Buffer.alloc(Math.max(count, READ_BYTES))
    buffer = buffer.subarray(0, readSync(file, buffer, 0, buffer.length, start))
    at = 0
    if (count > buffer.length) throw new MalformedFile('ends too early')
  }
  const bytes = (count: number) => {
    need(count)
    at += count
    return buffer.subarray(at - count, at)
  }
  const integer = (size: number) => {
    const read = bytes(size)
    return size === 8 ? Number(read.readBigUInt64LE()) : read.readUIntLE(0, size)
  }
  return {
    bytes,
    integer,
    text: () => bytes(integer(8)).toString('utf8'),
    skip(count) {
      // Reading on from there: what is skipped is never in memory.
      const position = start + at + count
      if (position > HEAD_BYTES_MAX) throw new MalformedFile('head too long')
      if (at + count <= buffer.length) at += count
      else [start, at, buffer] = [position, 0, Buffer.alloc(0)]
    },
  }
}
