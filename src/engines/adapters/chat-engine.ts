import { randomUUID } from 'node:crypto'
import type { ChatRequest } from '../../contract/chat-request.ts'
import type { VocabularyToken } from '../../lib/vocabulary/gguf.ts'
import { isObject } from '../../lib/is-object.ts'
import { createAbilities } from './abilities.ts'
import { forcesCall, promptOf, samplingOf } from './chat-body.ts'
import {
  EngineError,
  type Abilities,
  type CacheUse,
  type Engine,
  type EngineOptions,
  type EngineTarget,
  type Generation,
  type Observed,
  type StopSignal,
} from './engine.ts'
import type { ReasoningMember } from './engine-messages.ts'
import type { Neutralise } from './neutralise.ts'
import { readOn } from './openai/read-on.ts'
import { loadIn, type LoadNames } from './read-counters.ts'
import { readPieces, type ReadOptions } from './read-pieces.ts'
import { connectUpstream, type Ask, type UpstreamTraits } from './upstream.ts'
import type { Dialect } from './wire-chunk.ts'
import type { ReadPauses } from '../wire/read-pauses.ts'

/** All differences between kinds of engines. */
export type EngineTraits = UpstreamTraits &
  Omit<Dialect, 'engine' | 'observed'> & {
    /** Its name in traces. */
    readonly kind: string
    /** The request members for tools and tool choice. */
    toolsOf(request: ChatRequest, neutralise: Neutralise): object
    seedOf(seed: number): number
    /** The request members for the reasoning effort. They shape the prompt. */
    effortOf(effort: string): object
    /** `observed`: the one in which the server sends it. */
    readonly reasoningMember: ReasoningMember | 'observed' | undefined
    readonly declared: Abilities
    /** Whether abilities that are not declared are present, whatever the probe finds. */
    readonly isTrusted: boolean
    /** The request members that make it report token counts during the stream. */
    readonly usageOptions: object
    /** Whether prompt caches are kept apart by a salt in the request or by slots, or are not. */
    readonly promptCache: 'salted' | 'slots' | 'shared'
    /** The request members that keep the cached prompts of organizations apart. */
    cacheOf(salt: string, use: CacheUse | undefined): object
    /** Path that counts prompt tokens, and the response member with the count. */
    readonly count: CountPath | undefined
    /** Its metrics about the requests that it has. */
    readonly loadNames: LoadNames | undefined
    /** Undefined if this kind of engine does not report its tokens. */
    readTokens(ask: Ask, modelName: string): Promise<readonly VocabularyToken[] | undefined>
    /** Path that tokenizes a text, and the request members besides the model. */
    readonly tokenize: { readonly path: string; body(text: string): object } | undefined
  }

export type CountPath = { readonly path: string; readonly member: string }

/** Of a kind of server that has everything, if it is started with the right flags. */
export const KNOWN_SERVER = {
  declared: { abort: true, context: true },
  isTrusted: true,
  usage: 'reported',
  end: 'marker',
} as const

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
  const observed: Observed = {}
  const dialect = { ...traits, engine: name, observed }
  const abilities = createAbilities(traits)
  const target = targetOf(options, traits)
  return {
    name,
    server: serverOf(options.url),
    modelName,
    slots,
    promptCache: promptCacheOf(options, traits),
    organizationId: options.organizationId,
    workers: options.workers,
    declared: traits.declared,
    observed,
    ...abilities,
    close: () => upstream.close(),
    generate(generation, signal, { use, onSent, onLeft } = {}) {
      // A salt that is used once separates a request from every other.
      const salt = cacheSalts?.(generation.organizationId) ?? randomUUID()
      const prompt = promptBody(generation, modelName, traits, observed)
      const routed = { ...traits.cacheOf(salt, use), ...rankOf(options, traits) }
      const body = generationBody(generation, prompt, traits, routed)
      const pauses = pausesOf(generation.request, options.readPauses)
      const reading = readOptions(generation, pauses)
      const traceparent = generation.trace?.sent(target, generation.outputTokensMax)
      const start = (stop: StopSignal) =>
        upstream
          .post('/v1/chat/completions', body, stop, { onSent, traceparent })
          .then((bytes) => readPieces(bytes, dialect, reading))
      return abilities.can('abort') ? start(signal) : readOn(start, signal, name, onLeft)
    },
    readTokens: (signal) => traits.readTokens(upstream.asking(signal), modelName),
    async tokenize(text, signal) {
      const { tokenize } = traits
      if (tokenize === undefined) throw notOffered(name)
      const body = { model: modelName, ...tokenize.body(text) }
      const answer = await upstream.asking(signal)('POST', tokenize.path, body)
      const tokens = isObject(answer) ? answer['tokens'] : undefined
      return Array.isArray(tokens) ? tokens.filter((id) => typeof id === 'number') : []
    },
    async countPrompt(generation, signal) {
      if (traits.count === undefined) throw notOffered(name)
      const { path, member } = traits.count
      const body = promptBody(generation, modelName, traits, observed)
      return upstream.count(path, body, member, signal)
    },
    countSlots: (signal) => upstream.readNumber('/props', 'total_slots', signal),
    async readLoad(signal) {
      if (traits.loadNames === undefined) throw notOffered(name)
      const page = await upstream.readPage('/metrics', signal)
      const load = loadIn(page, traits.loadNames, rankLabel(options, traits))
      if (load === undefined) throw new EngineError('protocol', name, 'no load in the metrics')
      return load
    },
  }
}

/** The request members that name the rank of the server. */
function rankOf({ rank }: EngineOptions, { ranks }: EngineTraits): object {
  return rank === undefined || ranks?.member === undefined ? {} : { [ranks.member]: rank }
}

/** What a metric of the rank has among its labels. */
function rankLabel({ rank }: EngineOptions, { ranks }: EngineTraits): string | undefined {
  return rank === undefined || ranks === undefined ? undefined : `${ranks.label}="${rank}"`
}

function notOffered(engine: string): EngineError {
  return new EngineError('refused', engine, 'the engine does not offer this')
}

function promptCacheOf({ cacheSalts }: EngineOptions, { promptCache }: EngineTraits) {
  return cacheSalts === undefined && promptCache !== 'shared' ? 'none' : promptCache
}

function readOptions(
  { request, outputTokensMax, stopStrings, estimate }: Generation,
  pauses: ReadPauses | undefined,
): ReadOptions {
  return {
    stopStrings,
    estimate,
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
function promptBody(
  generation: Generation,
  modelName: string,
  traits: EngineTraits,
  observed: Observed,
) {
  const { request, effort, neutralise } = generation
  const { reasoningMember: known } = traits
  const member = known === 'observed' ? observed.reasoningMember : known
  return {
    ...promptOf(request, modelName, neutralise, member),
    ...traits.toolsOf(request, neutralise),
    ...(effort === undefined ? {} : traits.effortOf(effort)),
  }
}

function generationBody(
  { request, outputTokensMax }: Generation,
  prompt: object,
  traits: EngineTraits,
  routed: object,
) {
  const { seed } = request
  return {
    ...prompt,
    ...samplingOf(request),
    ...(seed === undefined || seed === null ? {} : { seed: traits.seedOf(seed) }),
    ...routed,
    ...traits.usageOptions,
    max_tokens: outputTokensMax,
    stream: true,
  }
}
