import type { VocabularyToken } from '../../lib/vocabulary/gguf.ts'
import { isObject } from '../../lib/is-object.ts'
import { findMarkup } from './template-tokens.ts'
import type { Ask } from './upstream.ts'

/** Ids per request, and with it the size of a response: about 2 MB. */
const IDS = 32_768
/** More than any vocabulary has. */
const VOCABULARY_MAX = 1_048_576

/**
 * llama-server does not list its special tokens, but its answers give them away. All ids of the
 * vocabulary are turned into text and that back into ids, once with special tokens parsed and once
 * without: ids that appear only in the former are control tokens. User-defined tokens are parsed
 * always; those that matter are in the chat template. Undefined if it does not tell.
 */
export async function readLlamaTokens(ask: Ask): Promise<VocabularyToken[] | undefined> {
  const size = vocabularySize(await ask('GET', '/v1/models'))
  if (size === undefined) return undefined
  const tokens: VocabularyToken[] = []
  for (let first = 0; first < size; first += IDS) {
    const ids = Array.from({ length: Math.min(IDS, size - first) }, (_, index) => first + index)
    const { content } = asObject(await ask('POST', '/detokenize', { tokens: ids }))
    if (typeof content !== 'string') return undefined
    const ordinary = new Set((await pieces(ask, content, false)).map(({ id }) => id))
    for (const { id, piece } of await pieces(ask, content, true))
      if (!ordinary.has(id)) tokens.push({ text: piece, special: true })
  }
  return [...tokens, ...(await userDefined(ask))]
}

async function userDefined(ask: Ask): Promise<VocabularyToken[]> {
  const { chat_template: template } = asObject(await ask('GET', '/props'))
  if (typeof template !== 'string') return []
  const candidates = findMarkup(template)
  const found = await pieces(ask, [...candidates].join('\n'), false)
  const texts = new Set(found.map(({ piece }) => piece)).intersection(candidates)
  return [...texts].map((text) => ({ text, special: false }))
}

type Piece = { readonly id: number; readonly piece: string }

async function pieces(ask: Ask, content: string, parseSpecial: boolean): Promise<Piece[]> {
  const options = { add_special: false, parse_special: parseSpecial, with_pieces: true }
  const { tokens } = asObject(await ask('POST', '/tokenize', { content, ...options }))
  if (!Array.isArray(tokens)) return []
  return tokens.flatMap((token) => {
    const { id, piece } = asObject(token)
    // A piece that is no text of its own is a list of bytes.
    return typeof id === 'number' && typeof piece === 'string' ? [{ id, piece }] : []
  })
}

function vocabularySize(models: unknown): number | undefined {
  const { data } = asObject(models)
  const { meta } = asObject(Array.isArray(data) ? data[0] : undefined)
  const { n_vocab: size } = asObject(meta)
  const isSize = typeof size === 'number' && Number.isSafeInteger(size) && size > 0
  return isSize && size <= VOCABULARY_MAX ? size : undefined
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}
