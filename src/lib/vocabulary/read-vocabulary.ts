import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { GGUF_MAGIC, MalformedFile, readGgufTokens, type VocabularyToken } from './gguf.ts'
import { isObject } from '../is-object.ts'

/** The largest tokenizer.json in use has 35 MB. */
const JSON_BYTES_MAX = 128 * 1024 * 1024

/**
 * The added tokens of a model, from `tokenizer.json`, `tokenizer_config.json`, `tekken.json` or the
 * head of a GGUF file. Throws `MalformedFile`, or the error of the file system.
 */
export function readVocabularyFile(path: string): VocabularyToken[] {
  if (startsWith(path, GGUF_MAGIC)) return readGgufTokens(path)
  if (statSync(path).size > JSON_BYTES_MAX) throw new MalformedFile('too large')
  const tokens = tokensIn(parse(readFileSync(path, 'utf8')))
  if (tokens.length === 0) throw new MalformedFile('lists no added or special tokens')
  return tokens
}

/** The tokens in the JSON of a tokenizer, in any of the forms in use. */
export function tokensIn(value: unknown): VocabularyToken[] {
  if (!isObject(value)) return []
  const { added_tokens: added, added_tokens_decoder: decoder, special_tokens: special } = value
  const listed = [
    ...(Array.isArray(added) ? added : []),
    ...(isObject(decoder) ? Object.values(decoder) : []),
    ...(Array.isArray(special) ? special : []),
  ]
  return [...listed.flatMap(tokenOf), ...namedTokens(value)]
}

/** vLLM reports the tokens of `added_tokens_decoder` as plain texts. */
function tokenOf(entry: unknown): VocabularyToken[] {
  if (typeof entry === 'string') return [{ text: entry, special: false }]
  if (!isObject(entry)) return []
  const { content, token_str: text = content, special, is_control: control = special } = entry
  return typeof text === 'string' ? [{ text, special: control === true }] : []
}

/** `bos_token`, `eos_token` … and `additional_special_tokens`. */
function namedTokens(value: Readonly<Record<string, unknown>>): VocabularyToken[] {
  const { additional_special_tokens: more } = value
  const names = Object.keys(value).filter((name) => /^[a-z]{2,32}_token$/.test(name))
  const texts = [...names.map((name) => value[name]), ...(Array.isArray(more) ? more : [])]
  return texts.flatMap((text) => tokenOf(text).map((token) => ({ ...token, special: true })))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new MalformedFile('neither JSON nor GGUF')
  }
}

function startsWith(path: string, magic: string): boolean {
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(magic.length)
    return (
      readSync(file, head, 0, head.length, 0) === head.length && head.toString('latin1') === magic
    )
  } finally {
    closeSync(file)
  }
}
