import { readFileSync } from 'node:fs'
import { Tokenizer } from '@huggingface/tokenizers'

/** An added token of a tokenizer, as `tokenizer.json` describes it. */
export type AddedToken = {
  readonly id: number
  readonly content: string
  readonly special: boolean
  readonly normalized: boolean
  readonly lstrip: boolean
  readonly rstrip: boolean
  readonly single_word: boolean
}

/** The added tokens of a model's tokenizer, without runs of spaces and HTML. */
export type KnownTokenizer = {
  readonly model: string
  /** Whether the list is from the tokenizer's own file, so that nothing is missing. */
  readonly complete: boolean
  readonly normalizer: object | null
  readonly tokens: readonly AddedToken[]
  /** The tokens that are worth a try: of those that differ by a number only, two. */
  readonly texts: readonly string[]
}

type Listed = Omit<KnownTokenizer, 'tokens' | 'texts'> & {
  readonly origin: string
  readonly groups: readonly { first: number; flags: string; texts: readonly string[] }[]
}

/** `<unused{0..98}>` stands for 99 tokens. */
const RANGE = /^(.*)\{(\d+)\.\.(\d+)\}(.*)$/s

const FILE = new URL('tokenizers.json', import.meta.url)

export const TOKENIZERS: readonly KnownTokenizer[] = (
  JSON.parse(readFileSync(FILE, 'utf8')) as Listed[]
).map(({ model, complete, normalizer, groups }) => {
  const tokens = groups.flatMap(({ first, flags, texts }) =>
    texts.flatMap(expand).map((content, index) => addedToken(first + index, content, flags)),
  )
  const texts = groups.flatMap((group) => group.texts.flatMap((text) => ends(expand(text))))
  return { model, complete, normalizer, tokens, texts: [...new Set(texts)] }
})

function expand(text: string): string[] {
  const [, before, first, last, after] = RANGE.exec(text) ?? []
  if (first === undefined) return [text]
  const count = Number(last) - Number(first) + 1
  return Array.from({ length: count }, (_, index) => `${before}${Number(first) + index}${after}`)
}

function ends(texts: readonly string[]): string[] {
  return texts.length > 1 ? [texts[0] ?? '', texts.at(-1) ?? ''] : [...texts]
}

function addedToken(id: number, content: string, flags: string): AddedToken {
  const has = (flag: string) => flags.split(' ').includes(flag)
  return {
    id,
    content,
    special: has('special'),
    normalized: has('normalized'),
    lstrip: has('lstrip'),
    rstrip: has('rstrip'),
    single_word: has('single_word'),
  }
}

/**
 * The `tokenizer.json` of a model, with one token for each byte instead of its vocabulary: added
 * tokens are split off before a tokenizer looks at its vocabulary, so they come out the same.
 */
export function tokenizerFile({ normalizer, tokens }: KnownTokenizer): object {
  const free = Math.max(...tokens.map(({ id }) => id)) + 1
  const vocab = Object.fromEntries(byteCharacters().map((text, index) => [text, free + index]))
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: tokens,
    normalizer,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', vocab, merges: [] },
  }
}

/** The characters that stand for the 256 bytes in byte-level vocabularies. */
function byteCharacters(): string[] {
  let hidden = 256
  return Array.from({ length: 256 }, (_, byte) => {
    const isVisible =
      (byte > 32 && byte < 127) || (byte > 160 && byte < 173) || (byte > 173 && byte < 256)
    return String.fromCodePoint(isVisible ? byte : hidden++)
  })
}

export type OpenTokenizer = {
  /** With special tokens parsed, as engines tokenize a prompt. */
  readonly idsOf: (text: string) => number[]
  readonly textOf: (ids: readonly number[]) => string
}

export function openTokenizer(file: object): OpenTokenizer {
  // Its own types refer to a folder that the package does not contain.
  const tokenizer = new Tokenizer(file, {}) as unknown as {
    encode(text: string, options: object): { ids: number[] }
    decode(ids: readonly number[], options: object): string
  }
  return {
    idsOf: (text) => tokenizer.encode(text, { add_special_tokens: false }).ids,
    textOf: (ids) => tokenizer.decode(ids, { clean_up_tokenization_spaces: false }),
  }
}
