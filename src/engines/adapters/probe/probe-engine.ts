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
  'end_marker',
  'reasoning',
  'tool_choice',
  'json_schema',
  'count',
  'cache_isolation',
  'abort',
  'context',
] as const

/** What the probe cannot find out is treated as missing. */
export type Capability = boolean | 'unknown'

/** Without a capability some requests fail, or usage is counted less exactly. */
export type Capabilities = { readonly [capability in (typeof CAPABILITIES)[number]]: Capability }

export type CapabilitySource = 'declared' | 'probed' | 'assumed'

/** Where the value of a capability comes from. */
export function sourceOf(engine: Engine, capability: string): CapabilitySource {
  const { declared, promptCache, organizationId } = engine
  if (Object.hasOwn(declared, capability)) return 'declared'
  // They are not tested: that would take a prompt longer than the context, or minutes.
  if (capability === 'abort' || capability === 'context') return 'assumed'
  const isDecided = promptCache === 'none' || promptCache === 'shared' || organizationId
  return capability === 'cache_isolation' && isDecided ? 'declared' : 'probed'
}

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
  const { declared, observed } = engine
  return {
    text: text.pieces.some((piece) => piece.type === 'text'),
    usage: isCounted(usage) && usage.promptTokens > 0 && usage.completionTokens > 0,
    progress: text.progress === 'unknown' ? 'unknown' : isCounted(text.progress),
    end_marker: observed.endMarker === true,
    reasoning: declared.reasoning ?? text.pieces.some((piece) => piece.type === 'reasoning'),
    tool_choice: declared.tool_choice ?? (await forcesCalls(engine)),
    json_schema: declared.json_schema ?? (await followsSchema(engine)),
    count: await every(COUNTED, (request) => countsExactly(engine, request)),
    cache_isolation: (await attempt(() => separatesCaches(engine))) ?? 'unknown',
    abort: engine.can('abort'),
    context: engine.can('context'),
  }
}

function isCounted(counts: TokenCounts | undefined): counts is TokenCounts {
  return counts !== undefined && counts.isEstimated !== true && counts.completionTokens > 0
}

function forcesCalls(engine: Engine): Promise<boolean> {
  const holds = async (request: ChatRequest) =>
    hasWord(argumentsOf(await generate(engine, request)))
  return every(FORCED_CALLS, holds)
}

function followsSchema(engine: Engine): Promise<boolean> {
  return every([FORMATTED], async (request) => hasWord(textOf(await generate(engine, request))))
}

async function countsExactly(engine: Engine, request: ChatRequest): Promise<boolean> {
  const counted = await engine.countPrompt(generationOf(request), timeout(engine))
  const usage = usageOf(await generate(engine, request, 1))
  return isCounted(usage) && counted === usage.promptTokens
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
    const isLast = batch.pieces.some(({ type }) => type === 'finish' || type === 'usage')
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
