import type { ChatRequest } from '../../contract/chat-request.ts'
import { separatesCaches } from './check-cache.ts'
import { EngineError, type Engine, type Generation } from './engine.ts'
import { keepText } from './neutralise.ts'
import type { Piece, TokenCounts } from './piece.ts'

/** The capabilities that the API needs from an engine. */
export const CAPABILITIES = [
  'text',
  'usage',
  'progress',
  'reasoning',
  'tool_choice',
  'json_schema',
  'count',
  'cache_isolation',
] as const

/** Without a capability some requests fail, or usage is counted less exactly. */
export type Capabilities = { readonly [capability in (typeof CAPABILITIES)[number]]: boolean }

type Output = { readonly pieces: readonly Piece[]; readonly progress: TokenCounts | undefined }

/** Enough for reasoning and one sentence. */
const OUTPUT_TOKENS_MAX = 512
const TIMEOUT_MS = 30_000

const QUESTION: ChatRequest = {
  model: 'probe',
  messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
  temperature: 0,
}

const TOOL = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Get the current weather for a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    },
  },
}

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, celsius: { type: 'integer' } },
  required: ['city', 'celsius'],
  additionalProperties: false,
}

/**
 * Tests the capabilities of an engine, many of which depend on the flags it was started with.
 * Throws an EngineError if the engine is unreachable.
 */
export async function probeEngine(engine: Engine): Promise<Capabilities> {
  const text = await generate(engine, QUESTION)
  const called = await attempt(() =>
    generate(engine, {
      ...QUESTION,
      tools: [TOOL],
      tool_choice: { type: 'function', function: { name: TOOL.function.name } },
    }),
  )
  const format = {
    type: 'json_schema' as const,
    json_schema: { name: 'weather', strict: true, schema: SCHEMA },
  }
  const formatted = await attempt(() => generate(engine, { ...QUESTION, response_format: format }))
  const counted = await attempt(() => engine.countPrompt(generationOf(QUESTION), timeout(engine)))
  const isolated = await attempt(() => separatesCaches(engine))
  const usage = text.pieces.find((piece) => piece.type === 'usage')?.usage
  return {
    text: text.pieces.some((piece) => piece.type === 'text'),
    usage: usage !== undefined && usage.promptTokens > 0 && usage.completionTokens > 0,
    progress: text.progress !== undefined && text.progress.completionTokens > 0,
    reasoning: text.pieces.some((piece) => piece.type === 'reasoning'),
    tool_choice: called !== undefined && isForCity(parse(argumentsOf(called))),
    json_schema: formatted !== undefined && isWeather(parse(textOf(formatted))),
    count: usage !== undefined && counted === usage.promptTokens,
    cache_isolation: isolated === true,
  }
}

/** A capability whose test fails with an EngineError counts as missing. */
async function attempt<Value>(run: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof EngineError) return undefined
    throw error
  }
}

async function generate(engine: Engine, request: ChatRequest): Promise<Output> {
  const pieces: Piece[] = []
  let progress: TokenCounts | undefined
  for await (const batch of await engine.generate(generationOf(request), timeout(engine))) {
    pieces.push(...batch.pieces)
    progress = batch.progress ?? progress
  }
  return { pieces, progress }
}

function generationOf(request: ChatRequest): Generation {
  return {
    request,
    outputTokensMax: OUTPUT_TOKENS_MAX,
    effort: undefined,
    organizationId: 'probe',
    neutralise: keepText,
  }
}

function timeout({ name }: Engine): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort(new EngineError('transport', name, 'timeout'))
  setTimeout(abort, TIMEOUT_MS).unref()
  return controller.signal
}

function textOf({ pieces }: Output): string {
  return pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
}

function argumentsOf({ pieces }: Output): string {
  const isArguments = ({ type }: Piece) => type === 'tool-call' || type === 'arguments'
  return pieces.map((piece) => (isArguments(piece) && 'text' in piece ? piece.text : '')).join('')
}

type Fields = Readonly<Record<string, unknown>>

function parse(text: string): Fields {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? (value as Fields) : {}
  } catch {
    return {}
  }
}

function isForCity({ city }: Fields): boolean {
  return typeof city === 'string'
}

function isWeather({ city, celsius }: Fields): boolean {
  return typeof city === 'string' && Number.isInteger(celsius)
}
