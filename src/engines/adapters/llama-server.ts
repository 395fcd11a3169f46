import type { ChatRequest } from '../../contract/chat-request.ts'
import { namedTool, offeredTools } from './chat-body.ts'
import type { EngineTraits } from './chat-engine.ts'
import type { Neutralise } from './neutralise.ts'
import { countOf } from './read-pieces.ts'

/** Its seeds are 32 bits wide, and the highest means "random". */
const SEED_MODULUS = 2 ** 32 - 1

/** llama.cpp's server, read and tried as of 0.7.0. */
export const llamaServer: EngineTraits = {
  // It announces keep-alive and then closes after every stream.
  keepAlive: false,
  counting: { stream_options: { include_usage: true }, timings_per_token: true },
  countPath: '/v1/chat/completions/input_tokens',
  countMember: 'input_tokens',
  // Its cache belongs to a slot and is no use to anyone else's prompt but by its time.
  saltOf: () => ({}),
  toolsOf,
  seedOf(seed) {
    const folded = seed % SEED_MODULUS
    return folded < 0 ? folded + SEED_MODULUS : folded
  },
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
  // It does not count reasoning; the tokens generated before the answer began were counted.
  reasoningTokensOf: (_usage, counted) => counted,
}

/**
 * It treats a named choice as `auto` and shows the model its tools even under `none`, so both are
 * expressed by which tools it is given at all.
 */
function toolsOf(request: ChatRequest, neutralise: Neutralise): object {
  const { tool_choice: choice, parallel_tool_calls: parallel } = request
  const tools = offeredTools(request, neutralise)
  if (tools === undefined) return {}
  const choiceName = namedTool(request)
  const named = choiceName === undefined ? undefined : neutralise(choiceName)
  const forced = named !== undefined || choice === 'required'
  return {
    tools: named === undefined ? tools : tools.filter((tool) => tool.function.name === named),
    tool_choice: forced ? 'required' : 'auto',
    ...(parallel === undefined || parallel === null ? {} : { parallel_tool_calls: parallel }),
  }
}
