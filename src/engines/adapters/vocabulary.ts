import type { VocabularyToken } from '../../lib/vocabulary/gguf.ts'
import { BREAK, createNeutralise, type Neutralise } from './neutralise.ts'

/** No vocabulary has more tokens of unusual form; each costs time on every text with a bracket. */
const UNUSUAL_TOKENS_MAX = 256
const TOKEN_CHARACTERS_MAX = 128
/** Vocabularies reserve up to 7,000 tokens. */
const TOKENS_MAX = 16_384

/** Gemma and others have these as tokens; they are ordinary text, and control nothing. */
const HTML_NAMES =
  'a b i u p s em h1 h2 h3 h4 h5 h6 ul ol li br hr tr th td sub sup pre div img nav code span ' +
  'html head body main table tbody thead tfoot header footer iframe strong caption section ' +
  'article blockquote'
const HTML = new RegExp(`^</?(?:${HTML_NAMES.replaceAll(' ', '|')})>$`)

/** GLM has `/nothink`, which turns reasoning off. */
const SWITCH = /^\/[a-z_]{4,32}$/

/**
 * The control tokens among the added tokens of a vocabulary. Tokens that the tokenizer does not
 * call special count only if they look like markup or like a switch: others are runs of spaces, or
 * ordinary words.
 */
export function selectControlTokens(tokens: readonly VocabularyToken[]): string[] {
  const selected = tokens.filter(({ text, special }) => {
    if (text.length > TOKEN_CHARACTERS_MAX || text.includes(BREAK)) return false
    return special ? isUnlikeWord(text) : isMarkup(text) || SWITCH.test(text)
  })
  return [...new Set(selected.map(({ text }) => text))]
}

/**
 * An engine's answer is not trusted as a file of the operator is: only texts with a letter and a
 * bracket, bar or tilde count, so that it cannot have ordinary text broken up.
 */
export function selectFromEngine(tokens: readonly VocabularyToken[]): string[] {
  const selected = selectControlTokens(tokens)
  return selected.filter((text) => text.length > 2 && /[<>[\]{}|｜~]/.test(text) && hasLetter(text))
}

function isUnlikeWord(text: string): boolean {
  return text.length > 1 && /[^\p{L}\p{M}\p{N}_\s]/u.test(text)
}

function isMarkup(text: string): boolean {
  if (HTML.test(text) || !/^[<>[\]{|｜][^\t\r\n]+[<>[\]}|｜]$/.test(text)) return false
  // Gemma 4 has `<|"|>`; brackets alone are ordinary.
  return hasLetter(text) || /^<\|[^|]+\|>$/.test(text)
}

function hasLetter(text: string): boolean {
  return /\p{L}/u.test(text)
}

/** The control tokens that are known of a model. */
export type Vocabulary = {
  readonly neutralise: Neutralise
  /** Whether tokens of the model itself are known, not only common patterns. */
  isKnown(): boolean
  tokens(): readonly string[]
  /** False if there are too many of unusual form; then none of them is used. */
  learn(tokens: readonly string[]): boolean
}

/** Starts with the tokens that the operator gave. What its engines report is added to them. */
export function createVocabulary(): Vocabulary {
  const common = createNeutralise([])
  const known = new Set<string>()
  let neutralise = common
  return {
    neutralise: (text) => neutralise(text),
    isKnown: () => known.size > 0,
    tokens: () => [...known],
    learn(tokens) {
      const all = new Set([...known, ...tokens])
      const unusual = [...all].filter((token) => !isBroken(token, common))
      if (all.size > TOKENS_MAX || unusual.length > UNUSUAL_TOKENS_MAX) return false
      for (const token of tokens) known.add(token)
      neutralise = createNeutralise(unusual)
      return true
    },
  }
}

/**
 * Whether a pattern breaks the token up wherever it is, and also if the template adds its first or
 * its last character.
 */
function isBroken(token: string, neutralise: Neutralise): boolean {
  const [first, last] = [token.slice(0, 1), token.slice(-1)]
  const results = [
    neutralise(`a${token}a`),
    neutralise(token.slice(0, -1)) + last,
    first + neutralise(token.slice(1)),
  ]
  return !results.some((result) => result.includes(token))
}
