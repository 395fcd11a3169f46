import { ConfigError, type Config } from '../config/load.ts'
import type { Engine } from '../engines/adapters/engine.ts'
import {
  createVocabulary,
  selectControlTokens,
  type Vocabulary,
} from '../engines/adapters/vocabulary.ts'
import { MalformedFile } from '../lib/vocabulary/gguf.ts'
import { readVocabularyFile } from '../lib/vocabulary/read-vocabulary.ts'

/** By model id, for the models whose control tokens are neutralised. */
export type Vocabularies = ReadonlyMap<string, Vocabulary>

/** Reads the vocabularies of a configuration; those of unchanged models are the same again. */
export function createVocabularyReader(): (config: Config) => Vocabularies {
  let before: { readonly config: Config; readonly vocabularies: Vocabularies } | undefined
  return (config) => {
    const known = new Map<string, Vocabulary>()
    for (const model of config.models) {
      const earlier = before?.config.models.find(({ id }) => id === model.id)
      const vocabulary = before?.vocabularies.get(model.id)
      if (vocabulary !== undefined && isSame(earlier, model)) known.set(model.id, vocabulary)
    }
    const vocabularies = readVocabularies(config, known)
    before = { config, vocabularies }
    return vocabularies
  }
}

type ModelSettings = Config['models'][number]

function isSame(earlier: ModelSettings | undefined, model: ModelSettings): boolean {
  const settingsOf = ({ control_tokens: listed, control_tokens_file: file }: ModelSettings) =>
    JSON.stringify([listed, file])
  return earlier !== undefined && settingsOf(earlier) === settingsOf(model)
}

/** Starts each vocabulary with the tokens that the operator gave, unless it is `known`. */
export function readVocabularies(
  { models }: Config,
  known: Vocabularies = new Map(),
): Vocabularies {
  const problems: string[] = []
  const vocabularies = new Map<string, Vocabulary>()
  for (const [index, model] of models.entries()) {
    if (!model.neutralise_control_tokens) continue
    const vocabulary = known.get(model.id) ?? createVocabulary()
    vocabularies.set(model.id, vocabulary)
    if (known.has(model.id)) continue
    const { control_tokens: listed, control_tokens_file: file } = model
    const found = file === undefined ? [] : readTokens(file)
    if (typeof found === 'string')
      problems.push(`models[${index}].control_tokens_file cannot be read (${found})`)
    else if (!vocabulary.learn([...listed, ...found]))
      problems.push(`models[${index}] has too many control tokens`)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return vocabularies
}

/** The tokens, or the reason why they cannot be read. */
function readTokens(file: string): string[] | string {
  try {
    return selectControlTokens(readVocabularyFile(file))
  } catch (error) {
    if (error instanceof MalformedFile) return error.message
    return (error as NodeJS.ErrnoException).code ?? 'unreadable'
  }
}

/** The vocabularies of the models that an engine serves. */
export function vocabulariesOf(
  engine: Engine,
  enginesOf: ReadonlyMap<string, readonly Engine[]>,
  vocabularies: Vocabularies,
): Vocabularies {
  return new Map([...vocabularies].filter(([id]) => enginesOf.get(id)?.includes(engine)))
}
