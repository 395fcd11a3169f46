import { randomUUID } from 'node:crypto'
import type { ChatRequest } from '../../contract/chat-request.ts'
import type { VocabularyToken } from '../../lib/gguf.ts'
import { isObject } from '../../lib/is-object.ts'
import { forcesCall, promptOf, samplingOf } from './chat-body.ts'
import {
  EngineError,
  type CacheUse,
  type Engine,
  type EngineOptions,
  type EngineTarget,
  type Generation,
} from './engine.ts'
import type { ReasoningMember } from './engine-messages.ts'
import type { Neutralise } from './neutralise.ts'
import { loadIn, type LoadNames } from './read-counters.ts'
import { readPieces, type Dialect, type ReadOptions } from './read-pieces.ts'
import { connectUpstream, type Ask, type UpstreamTraits } from './upstream.ts'
import type { ReadPauses } from '../wire/read-pauses.ts'

/** All differences between kinds of engines. */
export type EngineTraits = UpstreamTraits &
  Omit<Dialect, 'engine'> & {
    /** Its name in traces. */
    readonly kind: string
    /** The request members for tools and tool choice. */
    toolsOf(request: ChatRequest, neutralise: Neutralise): object
    seedOf(seed: number): number
    /** The request members for the reasoning effort. They shape the prompt. */
    effortOf(effort: string): object
    readonly reasoningMember: ReasoningMember
    /** The request members that make it report token counts during the stream. */
    readonly usageOptions: object
    /** Whether prompt caches are kept apart by a salt in the request, or belong to slots. */
    readonly promptCache: 'salted' | 'slots'
    /** The request members that keep the cached prompts of organizations apart. */
    cacheOf(salt: string, use: CacheUse | undefined): object
    /** Path that counts prompt tokens, and the response member with the count. */
    readonly countPath: string
    readonly countMember: string
    /** Its metrics about the requests that it has. */
    readonly loadNames: LoadNames
    /** Undefined if this kind of engine does not report its tokens. */
    readTokens(ask: Ask, modelName: string): Promise<readonly VocabularyToken[] | undefined>
    /** Path that tokenizes a text, and the request members besides the model. */
    readonly tokenizePath: string
    tokenizeBody(text: string): object
  }

/** The longest tokens of common vocabularies, and some room for what engines add. */
const TOKEN_CHARACTERS_MAX = 256
const CHARACTERS_SPARE = 65_536

/**
 * An engine with an OpenAI-style chat API. Generations are always streamed, even if the client did
 * not ask for it: some engines notice a disconnect only while streaming.
 */
export function connectChatEngine(options: EngineOptions, traits: EngineTraits): Engine {
  const { name, slots, modelName, cacheSalts } = options
  const upstream = connectUpstream(options, traits)
  const dialect = { ...traits, engine: name }
  const target = targetOf(options, traits)
  return {
    name,
    server: serverOf(options.url),
    modelName,
    slots,
    promptCache: cacheSalts === undefined ? 'none' : traits.promptCache,
    close: () => upstream.close(),
    generate(generation, signal, { use, onSent } = {}) {
      // A salt that is used once separates a request from every other.
      const salt = cacheSalts?.(generation.organizationId) ?? randomUUID()
      const body = generationBody(generation, modelName, traits, traits.cacheOf(salt, use))
      const pauses = pausesOf(generation.request, options.readPauses)
      const reading = readOptions(generation, pauses)
      const traceparent = generation.trace?.sent(target, generation.outputTokensMax)
      const posted = upstream.post('/v1/chat/completions', body, signal, { onSent, traceparent })
      return posted.then((bytes) => readPieces(bytes, dialect, reading))
    },
    readTokens: (signal) => traits.readTokens(upstream.asking(signal), modelName),
    async tokenize(text, signal) {
      const body = { model: modelName, ...traits.tokenizeBody(text) }
      const answer = await upstream.asking(signal)('POST', traits.tokenizePath, body)
      const tokens = isObject(answer) ? answer['tokens'] : undefined
      return Array.isArray(tokens) ? tokens.filter((id) => typeof id === 'number') : []
    },
    countPrompt(generation, signal) {
      const body = promptBody(generation, modelName, traits)
      return upstream.count(traits.countPath, body, traits.countMember, signal)
    },
    countSlots: (signal) => upstream.readNumber('/props', 'total_slots', signal),
    async readLoad(signal) {
      const load = loadIn(await upstream.readPage('/metrics', signal), traits.loadNames)
      if (load === undefined) throw new EngineError('protocol', name, 'no load in the metrics')
      return load
    },
  }
}

function readOptions(
  { request, outputTokensMax, stopStrings }: Generation,
  pauses: ReadPauses | undefined,
): ReadOptions {
  return {
    stopStrings,
    toolCallsMax: request.parallel_tool_calls === false ? 1 : Infinity,
    pauses,
    json: forcesCall(request) || (request.response_format ?? { type: 'text' }).type !== 'text',
    charactersMax: CHARACTERS_SPARE + outputTokensMax * TOKEN_CHARACTERS_MAX,
  }
}

export function serverOf(url: string): string {
  return new URL(url).host
}

function targetOf({ name, url, modelName }: EngineOptions, { kind }: EngineTraits): EngineTarget {
  const { hostname: host, port, protocol } = new URL(url)
  const implied = protocol === 'https:' ? 443 : 80
  return { name, kind, host, port: port === '' ? implied : Number(port), modelName }
}

/** Who wants no padding wants every piece at once. */
function pausesOf(
  { stream_options: options }: ChatRequest,
  readPauses: ReadPauses,
): ReadPauses | undefined {
  return options?.include_obfuscation === false ? undefined : readPauses
}

/** Only the members that shape the prompt, so that a count matches the generation. */
function promptBody(generation: Generation, modelName: string, traits: EngineTraits) {
  const { request, effort, neutralise } = generation
  return {
    ...promptOf(request, modelName, neutralise, traits.reasoningMember),
    ...traits.toolsOf(request, neutralise),
    ...(effort === undefined ? {} : traits.effortOf(effort)),
  }
}

function generationBody(
  generation: Generation,
  modelName: string,
  traits: EngineTraits,
  cache: object,
) {
  const { request, outputTokensMax } = generation
  const { seed } = request
  return {
    ...promptBody(generation, modelName, traits),
    ...samplingOf(request),
    ...(seed === undefined || seed === null ? {} : { seed: traits.seedOf(seed) }),
    ...cache,
    ...traits.usageOptions,
    max_tokens: outputTokensMax,
    stream: true,
  }
}
