import type { ChatRequest } from '../../contract/chat-request.ts'
import { promptOf, samplingOf } from './chat-body.ts'
import type { Engine, EngineOptions, Generation } from './engine.ts'
import type { Neutralise } from './neutralise.ts'
import { readPieces, type Dialect } from './read-pieces.ts'
import { connectUpstream, type UpstreamTraits } from './upstream.ts'

/** Everything in which one kind of engine differs from another. */
export type EngineTraits = UpstreamTraits &
  Omit<Dialect, 'engine'> & {
    /** What it is told about tools and the choice among them. */
    toolsOf(request: ChatRequest, neutralise: Neutralise): object
    seedOf(seed: number): number
    /** What it must be sent so that it counts as it goes. */
    readonly counting: object
    /** What keeps one organization's prompts out of another's reach in its cache. */
    saltOf(cacheSalt: string): object
    /** Where it counts the tokens of a prompt, and how it calls the number. */
    readonly countPath: string
    readonly countMember: string
  }

/** After a call too many a generation is cut, for clients that take one call at a time. */
const ONE_CALL = 1

/** The longest tokens of the usual vocabularies, and some room for what engines add. */
const TOKEN_CHARACTERS_MAX = 256
const CHARACTERS_SPARE = 65_536

/**
 * An engine that speaks the chat convention. Generations are always streamed, whatever the client
 * asked for: some engines notice only then that nobody is listening any more.
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
        toolCallsMax: single ? ONE_CALL : Infinity,
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

/** What shapes the prompt, and nothing else, so that a count counts what is generated. */
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
    ...traits.counting,
    max_tokens: outputTokensMax,
    stream: true,
  }
}
