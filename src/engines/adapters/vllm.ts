import type { ChatRequest } from '../../contract/chat-request.ts'
import { tokensIn } from '../../lib/vocabulary/read-vocabulary.ts'
import { forcesCall, offeredTools } from './chat-body.ts'
import { KNOWN_SERVER, type EngineTraits } from './chat-engine.ts'
import { unlessRefused } from './engine.ts'
import { neutraliseTexts, type Neutralise } from './neutralise.ts'
import { countsOf } from './wire-chunk.ts'
import { readTemplateTokens, type TemplateReading } from './template-tokens.ts'

const TEMPLATE: TemplateReading = {
  tokenizePath: '/tokenize',
  detokenizePath: '/detokenize',
  keepSpecial: {},
  textMember: 'prompt',
}

/** vLLM's OpenAI-compatible server. Source read at 0.28, tested with 0.32.0. */
export const vllm: EngineTraits = {
  ...KNOWN_SERVER,
  kind: 'vllm',
  keepAlive: true,
  ranks: { header: 'x-data-parallel-rank', label: 'engine' },
  usageOptions: { stream_options: { include_usage: true, continuous_usage_stats: true } },
  loadNames: {
    running: 'vllm:num_requests_running',
    waiting: 'vllm:num_requests_waiting',
    // Requests whose grammar is being compiled.
    deferred: { name: 'vllm:num_requests_waiting_by_reason', label: 'reason="deferred"' },
    cacheUse: 'vllm:kv_cache_usage_perc',
    preempted: 'vllm:num_preemptions_total',
    served: 'vllm:generation_tokens_total',
  },
  count: { path: '/tokenize', member: 'count' },
  // The first needs --enable-tokenizer-info-endpoint, and lists the whole vocabulary.
  async readTokens(ask, model) {
    const listed = await unlessRefused(async () => tokensIn(await ask('GET', '/tokenizer_info')))
    return listed?.length ? listed : readTemplateTokens(ask, model, TEMPLATE)
  },
  tokenize: { path: '/tokenize', body: (prompt) => ({ prompt, add_special_tokens: false }) },
  promptCache: 'salted',
  cacheOf: (salt) => ({ cache_salt: salt }),
  toolsOf: toolsWithChoice,
  seedOf: (seed) => seed,
  effortOf: effortWithTemplate,
  // Generations know both names, `/tokenize` only this one.
  reasoningMember: 'reasoning',
  errorKindOf(status, body) {
    if (status !== 400 && !saysBadRequest(body)) return 'status'
    if (/maximum context length|max_model_len/i.test(body)) return 'context'
    return /schema|grammar|regex/i.test(body) ? 'schema' : 'refused'
  },
  // Releases before 0.16 used `reasoning_content`.
  reasoningOf: (delta) => delta.reasoning ?? delta.reasoning_content,
  progressOf: ({ usage }) => countsOf(usage),
  // Reported only if vLLM was started with a reasoning parser.
  reasoningTokensOf: (usage, counted) =>
    usage.completion_tokens_details?.reasoning_tokens ?? counted,
}

/**
 * vLLM and SGLang compile a schema only after they responded 200, and then send the actual status
 * in an event. It must not count as a failure of the engine.
 */
export function saysBadRequest(body: string): boolean {
  return /"code": ?400\b/.test(body)
}

/** All that vLLM and SGLang accept as `reasoning_effort`. */
const KNOWN_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/**
 * Templates get every effort, as vLLM and SGLang do it for those that they know; their token count
 * does not, and others are refused as `reasoning_effort`.
 */
function effortWithTemplate(effort: string): object {
  return {
    chat_template_kwargs: { reasoning_effort: effort, enable_thinking: effort !== 'none' },
    ...(KNOWN_EFFORTS.includes(effort) ? { reasoning_effort: effort } : {}),
  }
}

/** Tools and choice for vLLM and SGLang, which do not accept an empty list of tools. */
export function toolsWithChoice(request: ChatRequest, neutralise: Neutralise): object {
  const { tool_choice: choice, parallel_tool_calls: parallel } = request
  const tools = offeredTools(request, neutralise)
  if (tools === undefined) return {}
  // Both compile the parameters of a forced call only for functions that are marked as strict.
  const strict = forcesCall(request) ? { strict: true } : {}
  return {
    tools: tools.map((tool) => ({ ...tool, function: { ...tool.function, ...strict } })),
    tool_choice: neutraliseTexts(choice ?? 'auto', neutralise),
    ...(parallel === undefined || parallel === null ? {} : { parallel_tool_calls: parallel }),
  }
}
