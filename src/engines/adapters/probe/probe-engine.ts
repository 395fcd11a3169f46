import type { ChatRequest } from '../../../contract/chat-request.ts'
import { separatesCaches } from './check-cache.ts'
import { EngineError, type Engine, type Generation } from '../engine.ts'
import { keepText } from '../neutralise.ts'
import type { Piece, TokenCounts } from '../piece.ts'
import { COUNTED, FORCED_CALLS, FORMATTED, hasWord, QUESTION } from './probe-requests.ts'

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

/** What the probe cannot find out is treated as missing. */
export type Capability = boolean | 'unknown'

/** Without a capability some requests fail, or usage is counted less exactly. */
export type Capabilities = { readonly [capability in (typeof CAPABILITIES)[number]]: Capability }

type Output = {
  readonly pieces: readonly Piece[]
  /** What was counted before the end, if the output came in several parts. */
  readonly progress: TokenCounts | 'unknown' | undefined
}

/** Enough for reasoning and one sentence. */
const OUTPUT_TOKENS_MAX = 512
const TIMEOUT_MS = 30_000

/**
 * Tests the capabilities of an engine, many of which depend on the flags it was started with.
 * Throws an EngineError if the engine is unreachable.
 */
export async function probeEngine(engine: Engine): Promise<Capabilities> {
  const text = await generate(engine, QUESTION)
  const usage = usageOf(text)
  return {
    text: text.pieces.some((piece) => piece.type === 'text'),
    usage: usage !== undefined && usage.promptTokens > 0 && usage.completionTokens > 0,
    progress: text.progress === 'unknown' ? 'unknown' : (text.progress?.completionTokens ?? 0) > 0,
    reasoning: text.pieces.some((piece) => piece.type === 'reasoning'),
    tool_choice: await every(FORCED_CALLS, async (request) =>
      hasWord(argumentsOf(await generate(engine, request))),
    ),
    json_schema: await every([FORMATTED], async (request) =>
      hasWord(textOf(await generate(engine, request))),
    ),
    count: await every(COUNTED, (request) => countsExactly(engine, request)),
    cache_isolation: (await attempt(() => separatesCaches(engine))) ?? false,
  }
}

async function countsExactly(engine: Engine, request: ChatRequest): Promise<boolean> {
  const counted = await engine.countPrompt(generationOf(request), timeout(engine))
  const usage = usageOf(await generate(engine, request, 1))
  return counted === usage?.promptTokens
}

/** Whether a test holds for all requests. One that fails with an EngineError does not hold. */
async function every(
  requests: readonly ChatRequest[],
  holds: (request: ChatRequest) => Promise<boolean>,
): Promise<boolean> {
  for (const request of requests) if (!(await attempt(() => holds(request)))) return false
  return true
}

async function attempt<Value>(run: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof EngineError) return undefined
    throw error
  }
}

async function generate(
  engine: Engine,
  request: ChatRequest,
  outputTokensMax = OUTPUT_TOKENS_MAX,
): Promise<Output> {
  const pieces: Piece[] = []
  let progress: TokenCounts | undefined
  let parts = 0
  const generation = { ...generationOf(request), outputTokensMax }
  for await (const batch of await engine.generate(generation, timeout(engine))) {
    pieces.push(...batch.pieces)
    const isLast = batch.pieces.some((piece) => piece.type === 'finish')
    if (!isLast) progress = batch.progress ?? progress
    parts += 1
  }
  return { pieces, progress: parts === 1 ? 'unknown' : progress }
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

function usageOf({ pieces }: Output): TokenCounts | undefined {
  return pieces.find((piece) => piece.type === 'usage')?.usage
}

function textOf({ pieces }: Output): string {
  return pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
}

function argumentsOf({ pieces }: Output): string {
  const isArguments = ({ type }: Piece) => type === 'tool-call' || type === 'arguments'
  return pieces.map((piece) => (isArguments(piece) && 'text' in piece ? piece.text : '')).join('')
}
