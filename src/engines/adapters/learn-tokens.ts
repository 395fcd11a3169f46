import { EngineError, type Engine } from './engine.ts'
import { selectFromEngine, type Vocabulary } from './vocabulary.ts'

/** A vocabulary of 260,000 tokens takes a second or two on an idle engine. */
const TIMEOUT_MS = 30_000
/** Enough to see that the protection does not work; each takes two requests. */
const CHECKED_MAX = 64

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

/** Undefined if the engine does not offer what is asked; one that is still loading is busy. */
async function unlessRefused<Value>(run: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await run()
  } catch (error) {
    const isUnreachable =
      error instanceof EngineError && /^(connection|transport|busy)$/.test(error.kind)
    if (!(error instanceof EngineError) || isUnreachable) throw error
    return undefined
  }
}

/** All tokens in two requests; they are asked one by one only if something may have survived. */
async function findSurviving(
  engine: Engine,
  vocabulary: Vocabulary,
  signal: AbortSignal,
): Promise<string[]> {
  const tokens = vocabulary.tokens()
  if (tokens.length === 0) return []
  const idsOf = async (text: string) => new Set(await engine.tokenize(text, signal))
  const broken = tokens.map((token) => vocabulary.neutralise(token))
  const separators = await idsOf('a\na\na')
  const common = (await idsOf(tokens.join('\n'))).intersection(await idsOf(broken.join('\n')))
  if (common.isSubsetOf(separators)) return []
  const surviving: string[] = []
  for (const token of tokens.slice(0, CHECKED_MAX)) {
    const [id, ...more] = await idsOf(token)
    if (id === undefined || more.length > 0) continue
    if ((await idsOf(vocabulary.neutralise(token))).has(id)) surviving.push(token)
  }
  return surviving
}
