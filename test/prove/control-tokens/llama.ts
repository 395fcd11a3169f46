import { connectChatEngine } from '../../../src/engines/adapters/chat-engine.ts'
import { learnTokens } from '../../../src/engines/adapters/learn-tokens.ts'
import { llamaServer } from '../../../src/engines/adapters/llama-server.ts'
import { keepText, type Neutralise } from '../../../src/engines/adapters/neutralise.ts'
import { createVocabulary, selectControlTokens } from '../../../src/engines/adapters/vocabulary.ts'
import { createReadPauses } from '../../../src/engines/wire/read-pauses.ts'
import { readVocabularyFile } from '../../../src/lib/vocabulary/read-vocabulary.ts'
import { startRealEngine } from '../../harness/engines/real-engine.ts'
import { createModelWithTokens } from './model-with-tokens.ts'
import type { KnownTokenizer } from '../../harness/engines/tokenizers.ts'
import { renderRequest } from './render.ts'

const TIMEOUT_MS = 60_000
/** Requests per text that is tokenized: half a megabyte or so. */
const AT_ONCE = 50

export type LlamaResult = {
  readonly cases: number
  /** What is wrong, if anything. */
  readonly problems: readonly string[]
  /** Tokens that the engine does not report, so that they take the vocabulary file. */
  readonly onlyInFile: number
}

/**
 * The same texts on a real llama-server whose vocabulary has the tokens of the model. The gateway
 * knows them from the engine, and from the GGUF file as an operator gives it.
 */
export async function proveOnLlama(
  { tokens, texts }: KnownTokenizer,
  attacks: readonly string[],
): Promise<LlamaResult> {
  const tried = tokens.filter(({ content }) => texts.includes(content))
  await using model = await createModelWithTokens(tried)
  await using server = await startRealEngine(1, { model: model.file })
  const options = { name: 'one', url: server.url, apiKey: undefined, slots: 1, modelName: 'pebble' }
  const engine = connectChatEngine({ ...options, readPauses: createReadPauses(0) }, llamaServer)
  const findIds = async (sent: readonly string[], neutralise: Neutralise) => {
    const found = new Set<number>()
    for (let first = 0; first < sent.length; first += AT_ONCE) {
      const some = sent.slice(first, first + AT_ONCE)
      // Half a character is no JSON text for the engine.
      const prompt = some.flatMap((text) => renderRequest(text, neutralise)).join('\n')
      const ids = await engine.tokenize(prompt.toWellFormed(), AbortSignal.timeout(TIMEOUT_MS))
      for (const id of ids) if (model.ids.has(id)) found.add(id)
    }
    return found.size
  }
  try {
    const [fromEngine, all] = [createVocabulary(), createVocabulary()]
    all.learn(selectControlTokens(readVocabularyFile(model.file)))
    const { known, surviving } = await learnTokens(engine, [all])
    await learnTokens(engine, [fromEngine])
    const alone = texts.filter((text) => fromEngine.neutralise(text) === text)
    const problems = [
      ...(known ? [] : ['reports no tokens']),
      ...surviving.map((token) => `still parses ${token}`),
      ...((await findIds(attacks, all.neutralise)) > 0 ? ['finds a control token in a text'] : []),
      ...((await findIds(texts, keepText)) < model.ids.size ? ['does not parse all tokens'] : []),
    ]
    return { cases: attacks.length, problems, onlyInFile: alone.length }
  } finally {
    engine.close()
  }
}
