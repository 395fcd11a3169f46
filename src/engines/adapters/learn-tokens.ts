import { EngineError, unlessRefused, type Engine } from './engine.ts'
import { selectFromEngine, type Vocabulary } from './vocabulary.ts'

/** A vocabulary of 260,000 tokens takes a second or two on an idle engine. */
const TIMEOUT_MS = 30_000
/** Enough to find a few surviving tokens among thousands; each takes two requests. */
const CHECKS_MAX = 256

export type TokensReport = {
  /** Whether the tokens of all models that the engine serves are known. */
  readonly known: boolean
  /** Tokens that the engine still parses after `neutralise`; there must be none. */
  readonly surviving: readonly string[]
}

/**
 * Adds the control tokens that an engine reports to the vocabularies of its models, then checks on
 * the engine that none survives. Throws an EngineError if the engine is unreachable.
 */
export async function learnTokens(
  engine: Engine,
  vocabularies: readonly Vocabulary[],
): Promise<TokensReport> {
  const controller = new AbortController()
  const late = new EngineError('transport', engine.name, 'timeout')
  const timer = setTimeout(() => controller.abort(late), TIMEOUT_MS)
  try {
    const { signal } = controller
    const reported = await unlessRefused(() => engine.readTokens(signal))
    const tokens = selectFromEngine(reported ?? [])
    // Too many tokens of unusual form are no vocabulary; the model counts as unknown.
    for (const vocabulary of vocabularies) vocabulary.learn(tokens)
    const surviving: string[] = []
    for (const vocabulary of vocabularies)
      surviving.push(
        ...((await unlessRefused(() => findSurviving(engine, vocabulary, signal))) ?? []),
      )
    return { known: vocabularies.every((vocabulary) => vocabulary.isKnown()), surviving }
  } finally {
    clearTimeout(timer)
  }
}

/** All tokens in two requests; they are halved and asked again where one may have survived. */
async function findSurviving(
  engine: Engine,
  vocabulary: Vocabulary,
  signal: AbortSignal,
): Promise<string[]> {
  const idsOf = async (text: string) => new Set(await engine.tokenize(text, signal))
  const separators = await idsOf('a\na\na')
  const surviving: string[] = []
  const parts = [vocabulary.tokens()]
  for (let checked = 0; checked < CHECKS_MAX; checked += 1) {
    const part = parts.shift()
    if (part === undefined || part.length === 0) break
    const whole = await idsOf(part.join('\n'))
    const broken = await idsOf(part.map((token) => vocabulary.neutralise(token)).join('\n'))
    if (whole.intersection(broken).isSubsetOf(separators)) continue
    const half = Math.ceil(part.length / 2)
    if (part.length > 1) parts.push(part.slice(0, half), part.slice(half))
    // What the engine takes for several tokens is no control token to it.
    else if (whole.size === 1) surviving.push(...part)
  }
  return surviving
}
