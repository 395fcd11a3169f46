import type { Abilities } from '../engine.ts'
import type { CountPath, EngineTraits } from '../chat-engine.ts'
import { requiredTools } from '../chat-body.ts'
import { countsOf, type WireChoice } from '../wire-chunk.ts'
import { saysBadRequest } from '../vllm.ts'

/** What the operator declares about a server; `auto` is found out. */
export type Declared = {
  readonly reasoning_field: 'auto' | 'reasoning' | 'reasoning_content' | 'none'
  readonly usage: 'auto' | 'reported' | 'none'
  readonly tool_choice: 'auto' | 'enforced' | 'none'
  readonly json_schema: 'auto' | 'enforced' | 'none'
  /** `salt:` and the request member that keeps prompts apart. */
  readonly cache: string
  readonly count?: CountPath | undefined
  readonly abort: 'disconnect' | 'none'
  readonly context: 'refuses' | 'truncates'
}

const UNDECLARED: Declared = {
  reasoning_field: 'auto',
  usage: 'auto',
  tool_choice: 'auto',
  json_schema: 'auto',
  cache: 'none',
  abort: 'none',
  context: 'truncates',
}

const SALT = 'salt:'

/**
 * Any server with the chat completions convention. It gets members of the convention only, because
 * servers exist that refuse others, and what is not known of it counts as absent.
 */
export function openAi(declared: Declared = UNDECLARED): EngineTraits {
  const { reasoning_field: field, usage, cache, count } = declared
  const saltMember = cache.startsWith(SALT) ? cache.slice(SALT.length) : undefined
  return {
    kind: 'openai',
    // Whether a server keeps its promise of keep-alive is not known.
    keepAlive: false,
    usageOptions: usage === 'none' ? {} : { stream_options: { include_usage: true } },
    usage: usage === 'reported' ? 'reported' : 'estimated',
    end: 'finish',
    declared: abilitiesOf(declared),
    isTrusted: false,
    loadNames: undefined,
    count,
    tokenize: undefined,
    readTokens: () => Promise.resolve(undefined),
    promptCache: saltMember === undefined ? 'shared' : 'salted',
    cacheOf: (salt) => (saltMember === undefined ? {} : { [saltMember]: salt }),
    // Some servers ignore the name of a tool, others the schema of one that is not strict.
    toolsOf: (request, neutralise) => requiredTools(request, neutralise, { strict: true }),
    seedOf: (seed) => seed,
    effortOf: (effort) => (field === 'none' ? {} : { reasoning_effort: effort }),
    reasoningMember: field === 'auto' ? 'observed' : field === 'none' ? undefined : field,
    errorKindOf(status, body) {
      if (status !== 400 && status !== 413 && !saysBadRequest(body)) return 'status'
      if (/context.?(length|size|window)|max_model_len/i.test(body)) return 'context'
      return /schema|grammar|regex/i.test(body) ? 'schema' : 'refused'
    },
    reasoningOf: readReasoning,
    progressOf: ({ usage: counts }) => countsOf(counts),
    reasoningTokensOf: (counts, counted) =>
      counts.completion_tokens_details?.reasoning_tokens ?? counts.reasoning_tokens ?? counted,
  }
}

const readReasoning: EngineTraits['reasoningOf'] = (delta, observed) => {
  const member = memberOf(delta)
  if (member !== undefined) observed.reasoningMember = member
  return member === undefined ? undefined : delta[member]
}

function memberOf(delta: NonNullable<WireChoice['delta']>) {
  if (delta.reasoning) return 'reasoning'
  return delta.reasoning_content ? 'reasoning_content' : undefined
}

function abilitiesOf(declared: Declared): Abilities {
  const { reasoning_field: field, tool_choice: choice, json_schema: schema } = declared
  return {
    ...(field === 'auto' ? {} : { reasoning: field !== 'none' }),
    ...(choice === 'auto' ? {} : { tool_choice: choice === 'enforced' }),
    ...(schema === 'auto' ? {} : { json_schema: schema === 'enforced' }),
    ...(declared.abort === 'disconnect' ? { abort: true } : {}),
    ...(declared.context === 'refuses' ? { context: true } : {}),
  }
}
