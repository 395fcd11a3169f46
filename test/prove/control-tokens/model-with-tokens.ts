import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The demo model with further control tokens in its vocabulary. */
export type ModelWithTokens = AsyncDisposable & {
  readonly file: string
  /** The ids of the given tokens. */
  readonly ids: ReadonlySet<number>
}

const DEMO = new URL('../../../demo-model/pebble-q8_0.gguf', import.meta.url)

const HEAD_BYTES = 24
const ALIGNMENT = 32
const STRING = 8
const ARRAY = 9
/** Of the values of fixed length, by their type. */
const SIZES = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8]
/** llama.cpp's types of tokens. It parses user-defined ones even in text that is not trusted. */
const ORDINARY = 1
const CONTROL = 3
const USER_DEFINED = 4

type Token = { readonly content: string; readonly special: boolean }

/** Puts the tokens in place of the last ordinary ones, so that no tensor changes its size. */
export async function createModelWithTokens(tokens: readonly Token[]): Promise<ModelWithTokens> {
  const { bytes, ids } = replaceTokens(await readFile(DEMO), tokens)
  const folder = await mkdtemp(join(tmpdir(), 'headrace-model-'))
  const file = join(folder, 'tokens.gguf')
  await writeFile(file, bytes)
  return { file, ids, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

function replaceTokens(model: Buffer, tokens: readonly Token[]) {
  const { texts, types, end } = readHead(model)
  const vocabulary = readTexts(model, texts)
  const kinds = Buffer.from(model.subarray(types.from, types.to))
  const isOrdinary = (id: number) => kinds.readInt32LE(4 * id) === ORDINARY
  const room = vocabulary.map((_, id) => id).filter(isOrdinary)
  const ids = new Set<number>()
  for (const { content, special } of tokens) {
    const known = vocabulary.indexOf(content)
    const id = known === -1 ? room.pop() : known
    if (id === undefined) throw new Error('more tokens than the demo model has room for')
    vocabulary[id] = content
    kinds.writeInt32LE(special ? CONTROL : USER_DEFINED, 4 * id)
    ids.add(id)
  }
  const head = Buffer.concat([
    model.subarray(0, texts.from),
    ...vocabulary.map(withLength),
    model.subarray(texts.to, types.from),
    kinds,
    model.subarray(types.to, end),
  ])
  const padding = Buffer.alloc(aligned(head.length) - head.length)
  return { bytes: Buffer.concat([head, padding, model.subarray(aligned(end))]), ids }
}

type Span = { readonly from: number; readonly to: number }

/** Where the elements of the two arrays are, and where the descriptions of the tensors end. */
function readHead(model: Buffer): { texts: Span; types: Span; end: number } {
  const spans = new Map<string, Span>()
  let at = HEAD_BYTES
  const text = () => {
    const length = long(model, at)
    at += 8 + length
    return model.toString('utf8', at - length, at)
  }
  for (let left = long(model, 16); left > 0; left -= 1) {
    const name = text()
    const type = model.readUInt32LE(at)
    at += 4
    if (type === STRING) text()
    else if (type === ARRAY) {
      const [each, count] = [model.readUInt32LE(at), long(model, at + 4)]
      at += 12
      const from = at
      if (each !== STRING) at += count * (SIZES[each] ?? 0)
      else for (let index = 0; index < count; index += 1) text()
      spans.set(name, { from, to: at })
    } else at += SIZES[type] ?? 0
  }
  for (let left = long(model, 8); left > 0; left -= 1) {
    text()
    at += 4 + 8 * model.readUInt32LE(at) + 4 + 8
  }
  const [texts, types] = ['tokens', 'token_type'].map((name) => spans.get(`tokenizer.ggml.${name}`))
  if (texts === undefined || types === undefined) throw new Error('the model has no vocabulary')
  return { texts, types, end: at }
}

function readTexts(model: Buffer, { from, to }: Span): string[] {
  const texts: string[] = []
  for (let at = from; at < to;) {
    const length = long(model, at)
    texts.push(model.toString('utf8', at + 8, at + 8 + length))
    at += 8 + length
  }
  return texts
}

function withLength(text: string): Buffer {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(bytes.length))
  return Buffer.concat([length, bytes])
}

function long(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at))
}

function aligned(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT
}
