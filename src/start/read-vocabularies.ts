import { ConfigError, type Config } from '../config/load.ts'
import type { Engine } from '../engines/adapters/engine.ts'
import {
  createVocabulary,
  selectControlTokens,
  type Vocabulary,
} from '../engines/adapters/vocabulary.ts'
import { MalformedFile } from '../lib/gguf.ts'
import { readVocabularyFile } from '../lib/read-vocabulary.ts'

/** By model id, for the models whose control tokens are neutralised. */
export type Vocabularies = ReadonlyMap<string, Vocabulary>

/** Starts each vocabulary with the tokens that the operator gave. */
export function readVocabularies({ models }: Config): Vocabularies {
  const problems: string[] = []
  const vocabularies = new Map<string, Vocabulary>()
  for (const [index, model] of models.entries()) {
    if (!model.neutralise_control_tokens) continue
    const vocabulary = createVocabulary()
    vocabularies.set(model.id, vocabulary)
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
