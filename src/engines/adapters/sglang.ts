import type { EngineTraits } from './chat-engine.ts'
import { readTemplateTokens, type TemplateReading } from './template-tokens.ts'
import { saysBadRequest, vllm } from './vllm.ts'

const TEMPLATE: TemplateReading = {
  tokenizePath: '/v1/tokenize',
  detokenizePath: '/v1/detokenize',
  keepSpecial: { skip_special_tokens: false },
  textMember: 'text',
}

/** SGLang's server, as far as it differs from vLLM. Source read at 0.5.18, tested with 0.5.23. */
export const sglang: EngineTraits = {
  ...vllm,
  kind: 'sglang',
  ranks: { member: 'routed_dp_rank', label: 'dp_rank' },
  // Needs --enable-metrics.
  loadNames: {
    running: 'sglang:num_running_reqs',
    waiting: 'sglang:num_queue_reqs',
    cacheUse: 'sglang:token_usage',
    preempted: 'sglang:num_retracted_requests_total',
    served: 'sglang:generation_tokens_total',
  },
  count: { path: '/v1/tokenize', member: 'count' },
  // It tells where its tokenizer is, but not what is in it.
  readTokens: (ask, model) => readTemplateTokens(ask, model, TEMPLATE),
  tokenize: { path: '/v1/tokenize', body: (prompt) => ({ prompt, add_special_tokens: false }) },
  reasoningMember: 'reasoning_content',
  // A full queue returns 503, or for a stream 200 with an error event first.
  errorKindOf(status, body) {
    if (/queue is full/i.test(body)) return 'busy'
    if (/context length/i.test(body)) return 'context'
    if (status !== 400 && !saysBadRequest(body)) return 'status'
    return /schema|grammar|regex/i.test(body) ? 'schema' : 'refused'
  },
  reasoningOf: (delta) => delta.reasoning_content,
  reasoningTokensOf: (usage, counted) => usage.reasoning_tokens ?? counted,
}
