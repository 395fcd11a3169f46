import type { Delta } from '../contract/chat-chunk.ts'
import type { ChatRequest } from '../contract/chat-request.ts'
import type { ChatResponse, Usage } from '../contract/chat-response.ts'
import type { GenerationStream, Piece, TokenCounts } from '../engines/adapters/piece.ts'
import { clientIsGone, type Call } from '../http/call.ts'
import { toApiError } from '../http/errors.ts'
import { openEventStream, type EventStream } from '../http/event-stream.ts'
import { ChunkEvents, DONE_EVENT, type ChunkHead } from './chunk-events.ts'
import { addPiece, emptyReply } from './reply.ts'

/** Creates the id of a tool call; `reasoned` says whether the model reasoned before it. */
type NewCallId = (reasoned: boolean) => string

/** Sends JSON or a stream, as requested. Both carry the same content for the same generation. */
export function answer(
  call: Call,
  request: ChatRequest,
  generated: GenerationStream,
  newCallId: NewCallId,
): Promise<void> {
  const head = chunkHead(call, request)
  if (request.stream !== true) return answerJson(call, generated, head, newCallId)
  const options = request.stream_options ?? {}
  const padded = options.include_obfuscation !== false
  const events = new ChunkEvents(head, padded, request.tools ?? [])
  const renderer = new Renderer(events, options.include_usage === true, newCallId)
  return answerStream(call, generated, renderer)
}

function chunkHead(call: Call, request: ChatRequest): ChunkHead {
  const id = `chatcmpl-${call.id.replaceAll('-', '')}`
  return { id, created: Math.floor(Date.now() / 1000), model: request.model }
}

/**
 * Sends the 200 only with the engine's first tokens, so that an earlier failure still has its own
 * status. A later failure is sent as an error event. Only a complete generation ends with [DONE].
 */
async function answerStream(
  call: Call,
  generated: GenerationStream,
  renderer: Renderer,
): Promise<void> {
  const { events } = renderer
  let stream: EventStream | undefined
  try {
    await generated(({ pieces }) => {
      stream ??= openEventStream(call, events)
      const rendered = renderer.render(pieces)
      return rendered === '' || stream.write(rendered) ? undefined : stream.drained()
    })
    stream?.end(DONE_EVENT)
  } catch (error) {
    if (!clientIsGone(call)) stream?.end(events.error(toApiError(error).body()))
    throw error
  } finally {
    stream?.[Symbol.dispose]()
  }
}

/** Renders pieces as events; the first event carries the role. */
class Renderer {
  readonly events: ChunkEvents
  readonly #withUsage: boolean
  readonly #newCallId: NewCallId
  #begun = false
  #reasoned = false

  constructor(events: ChunkEvents, withUsage: boolean, newCallId: NewCallId) {
    this.events = events
    this.#withUsage = withUsage
    this.#newCallId = newCallId
  }

  render(pieces: readonly Piece[]): string {
    let rendered = ''
    for (const piece of pieces) rendered += this.#render(piece)
    return rendered
  }

  #render(piece: Piece): string {
    const { events } = this
    switch (piece.type) {
      case 'reasoning':
        this.#reasoned = true
        return this.#begin() + events.delta({ reasoning_content: piece.text })
      case 'text':
        return this.#begin() + events.delta({ content: piece.text })
      case 'tool-call': {
        // A step that only calls tools has this field too, so that clients can send it back.
        const begin = this.#begin({ reasoning_content: '' })
        return begin + events.delta(openedCall(piece, this.#newCallId(this.#reasoned)))
      }
      case 'arguments': {
        const { index, text } = piece
        return events.delta({ tool_calls: [{ index, function: { arguments: text } }] })
      }
      case 'finish':
        return this.#begin() + events.finish(piece.reason)
      case 'usage':
        return this.#withUsage ? events.usage(usageOf(piece.usage)) : ''
    }
  }

  #begin(first: Delta = {}): string {
    if (this.#begun) return ''
    this.#begun = true
    return this.events.delta({ role: 'assistant', ...first })
  }
}

type OpenedCall = Extract<Piece, { type: 'tool-call' }>

function openedCall({ index, name, text }: OpenedCall, id: string): Delta {
  const call = { id, type: 'function' as const, function: { name, arguments: text } }
  return { tool_calls: [{ index, ...call }] }
}

async function answerJson(
  call: Call,
  generated: GenerationStream,
  head: ChunkHead,
  newCallId: NewCallId,
): Promise<void> {
  const { response, headers } = call
  const body = JSON.stringify(await assemble(generated, head, newCallId))
  const bytes = Buffer.byteLength(body)
  headers['content-type'] = 'application/json'
  headers['content-length'] = bytes
  response.writeHead(200, headers)
  // Node sends a string together with the headers in one write. ASCII need not be encoded.
  response.end(body, bytes === body.length ? 'latin1' : 'utf8')
}

async function assemble(
  generated: GenerationStream,
  head: ChunkHead,
  newCallId: NewCallId,
): Promise<ChatResponse> {
  const reply = emptyReply()
  await generated(({ pieces }) => {
    for (const piece of pieces) addPiece(reply, piece)
    return undefined
  })
  const { content, reasoning, calls, finishReason, usage } = reply
  if (finishReason === undefined || usage === undefined)
    throw new Error('the generation has no end')
  const tool_calls = calls.map((call) => {
    const id = newCallId(reasoning !== undefined)
    return { id, type: 'function' as const, function: call }
  })
  const reasoning_content = reasoning ?? (calls.length > 0 ? '' : undefined)
  const message = {
    role: 'assistant' as const,
    content: content === '' ? null : content,
    refusal: null,
    ...(reasoning_content === undefined ? {} : { reasoning_content }),
    ...(calls.length === 0 ? {} : { tool_calls }),
  }
  const choice = { index: 0 as const, message, logprobs: null, finish_reason: finishReason }
  return { ...objectOf(head), choices: [choice], usage: usageOf(usage) }
}

function objectOf({ id, created, model }: ChunkHead) {
  return { id, object: 'chat.completion' as const, created, model }
}

function usageOf(counts: TokenCounts): Usage {
  return {
    prompt_tokens: counts.promptTokens,
    completion_tokens: counts.completionTokens,
    total_tokens: counts.promptTokens + counts.completionTokens,
    prompt_tokens_details: { cached_tokens: counts.cachedTokens },
    completion_tokens_details: { reasoning_tokens: counts.reasoningTokens },
  }
}
