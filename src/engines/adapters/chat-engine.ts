import type { ChatRequest } from '../../contract/chat-request.ts'
import { promptOf, samplingOf } from './chat-body.ts'
import type { Engine, EngineOptions, Generation } from './engine.ts'
import type { Neutralise } from './neutralise.ts'
import { readPieces, type Dialect } from './read-pieces.ts'
import { connectUpstream, type UpstreamTraits } from './upstream.ts'

/** All differences between kinds of engines. */
export type EngineTraits = UpstreamTraits &
  Omit<Dialect, 'engine'> & {
    /** The request members for tools and tool choice. */
    toolsOf(request: ChatRequest, neutralise: Neutralise): object
    seedOf(seed: number): number
    /** The request members that make it report token counts during the stream. */
    readonly usageOptions: object
    /** The request members that separate the prompt caches of organizations. */
    saltOf(cacheSalt: string): object
    /** Path that counts prompt tokens, and the response member with the count. */
    readonly countPath: string
    readonly countMember: string
  }

/** The longest tokens of common vocabularies, and some room for what engines add. */
const TOKEN_CHARACTERS_MAX = 256
const CHARACTERS_SPARE = 65_536

/**
 * An engine with an OpenAI-style chat API. Generations are always streamed, even if the client did
 * not ask for it: some engines notice a disconnect only while streaming.
 */
export function connectChatEngine(options: EngineOptions, traits: EngineTraits): Engine {
  const { name, slots, modelName } = options
  const upstream = connectUpstream(options, traits)
  const dialect = { ...traits, engine: name }
  return {
    name,
    slots,
    close: () => upstream.close(),
    async generate(generation, signal) {
      const body = generationBody(generation, modelName, traits)
      const bytes = await upstream.post('/v1/chat/completions', body, signal)
      const single = generation.request.parallel_tool_calls === false
      return readPieces(bytes, dialect, {
        toolCallsMax: single ? 1 : Infinity,
        pausable: isPadded(generation.request),
        charactersMax: CHARACTERS_SPARE + generation.outputTokensMax * TOKEN_CHARACTERS_MAX,
      })
    },
    countPrompt(generation, signal) {
      const body = promptBody(generation, modelName, traits)
      return upstream.count(traits.countPath, body, traits.countMember, signal)
    },
  }
}

function isPadded({ stream, stream_options: options }: ChatRequest): boolean {
  return stream === true && options?.include_obfuscation !== false
}

/** Only the members that shape the prompt, so that a count matches the generation. */
function promptBody(generation: Generation, modelName: string, traits: EngineTraits) {
  const { request, effort, neutralise } = generation
  return {
    ...promptOf(request, modelName, neutralise),
    ...traits.toolsOf(request, neutralise),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
  }
}

function generationBody(generation: Generation, modelName: string, traits: EngineTraits) {
  const { request, outputTokensMax, cacheSalt } = generation
  const { seed } = request
  return {
    ...promptBody(generation, modelName, traits),
    ...samplingOf(request),
    ...(seed === undefined || seed === null ? {} : { seed: traits.seedOf(seed) }),
    ...traits.saltOf(cacheSalt),
    ...traits.usageOptions,
    max_tokens: outputTokensMax,
    stream: true,
  }
}
