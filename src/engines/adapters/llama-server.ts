import { readLlamaTokens } from './llama-tokens.ts'
import { requiredTools } from './chat-body.ts'
import { KNOWN_SERVER, type EngineTraits } from './chat-engine.ts'
import { countOf } from './wire-chunk.ts'

/** Seeds have 32 bits, and the highest value means "random". */
const SEED_MODULUS = 2 ** 32 - 1

/** llama.cpp's server. Source read and tested with 0.7.0. */
export const llamaServer: EngineTraits = {
  ...KNOWN_SERVER,
  kind: 'llama-server',
  // It announces keep-alive but closes the connection after every stream.
  keepAlive: false,
  usageOptions: { stream_options: { include_usage: true }, timings_per_token: true },
  // Needs --metrics.
  loadNames: {
    running: 'llamacpp:requests_processing',
    waiting: 'llamacpp:requests_deferred',
    served: 'llamacpp:tokens_predicted_total',
  },
  count: { path: '/v1/chat/completions/input_tokens', member: 'input_tokens' },
  readTokens: readLlamaTokens,
  tokenize: {
    path: '/tokenize',
    body: (content) => ({ content, add_special: false, parse_special: true }),
  },
  promptCache: 'slots',
  // It ignores salts: a slot reuses the prompt before, whoever sent it, unless it is told not to.
  cacheOf: (_salt, use) => ({
    ...(use?.slot === undefined ? {} : { id_slot: use.slot }),
    cache_prompt: use?.reuse === true,
  }),
  toolsOf: (request, neutralise) => requiredTools(request, neutralise),
  seedOf(seed) {
    const folded = seed % SEED_MODULUS
    return folded < 0 ? folded + SEED_MODULUS : folded
  },
  effortOf: (effort) => ({ reasoning_effort: effort }),
  reasoningMember: 'reasoning_content',
  errorKindOf(status, body) {
    if (body.includes('exceed_context_size_error')) return 'context'
    return status === 400 && /schema|grammar|pattern|parser/i.test(body) ? 'schema' : 'status'
  },
  reasoningOf: (delta) => delta.reasoning_content,
  progressOf({ timings }) {
    if (timings === undefined || timings === null) return undefined
    const cachedTokens = countOf(timings.cache_n ?? 0)
    const promptTokens = cachedTokens + countOf(timings.prompt_n ?? 0)
    const completionTokens = countOf(timings.predicted_n ?? 0)
    return { promptTokens, cachedTokens, completionTokens, reasoningTokens: 0 }
  },
  // It does not count reasoning tokens, so the tokens generated before the answer are used.
  reasoningTokensOf: (_usage, counted) => counted,
}
