import type { Delta } from '../contract/chat-chunk.ts'
import type { ChatRequest } from '../contract/chat-request.ts'
import type { ChatResponse, Usage } from '../contract/chat-response.ts'
import type { Piece, PieceBatch, TokenCounts } from '../engines/adapters/piece.ts'
import { clientIsGone, type Call } from '../http/call.ts'
import { toApiError } from '../http/errors.ts'
import { openEventStream, type EventStream } from '../http/event-stream.ts'
import { createChunkEvents, DONE_EVENT, type ChunkEvents, type ChunkHead } from './chunk-events.ts'
import { addPiece, emptyReply } from './reply.ts'

type Pieces = AsyncIterable<PieceBatch>

/** Creates the id of a tool call; `reasoned` says whether the model reasoned before it. */
type NewCallId = (reasoned: boolean) => string

/** Sends JSON or a stream, as requested. Both carry the same content for the same generation. */
export async function answer(
  call: Call,
  request: ChatRequest,
  pieces: Pieces,
  newCallId: NewCallId,
): Promise<void> {
  const head = chunkHead(call, request)
  if (request.stream === true) await answerStream(call, request, pieces, head, newCallId)
  else await answerJson(call, pieces, head, newCallId)
}

function chunkHead(call: Call, request: ChatRequest): ChunkHead {
  const id = `chatcmpl-${call.id.replaceAll('-', '')}`
  return { id, created: Math.floor(Date.now() / 1000), model: request.model }
}

/**
 * Sends the 200 only with the engine's first pieces, so that an earlier failure still has its own
 * status. A later failure is sent as an error event. Only a complete generation ends with [DONE].
 */
async function answerStream(
  call: Call,
  request: ChatRequest,
  pieces: Pieces,
  head: ChunkHead,
  newCallId: NewCallId,
): Promise<void> {
  let stream: EventStream | undefined
  const options = request.stream_options ?? {}
  const padded = options.include_obfuscation !== false
  const events = createChunkEvents(head, padded, request.tools ?? [])
  const render = createRenderer(events, options.include_usage === true, newCallId)
  try {
    for await (const { pieces: batch } of pieces) {
      stream ??= openEventStream(call, events.comment)
      if (!send(batch, render, stream)) await stream.drained()
    }
    stream?.end(DONE_EVENT)
  } catch (error) {
    if (!clientIsGone(call)) stream?.end(events.error(toApiError(error).body()))
    throw error
  } finally {
    stream?.[Symbol.dispose]()
  }
}

/** A function of its own: a loop that waits keeps its variables. False if the client is behind. */
function send(
  batch: readonly Piece[],
  render: (piece: Piece) => string,
  stream: EventStream,
): boolean {
  let rendered = ''
  for (const piece of batch) rendered += render(piece)
  return rendered === '' || stream.write(rendered)
}

/** Renders pieces as events; the first event carries the role. */
function createRenderer(
  events: ChunkEvents,
  withUsage: boolean,
  newCallId: NewCallId,
): (piece: Piece) => string {
  let begun = false
  let reasoned = false
  const begin = (first: Delta = {}) => {
    if (begun) return ''
    begun = true
    return events.delta({ role: 'assistant', ...first })
  }
  return (piece) => {
    switch (piece.type) {
      case 'reasoning':
        reasoned = true
        return begin() + events.delta({ reasoning_content: piece.text })
      case 'text':
        return begin() + events.delta({ content: piece.text })
      case 'tool-call':
        // A step that only calls tools has this field too, so that clients can send it back.
        return (
          begin({ reasoning_content: '' }) + events.delta(openedCall(piece, newCallId(reasoned)))
        )
      case 'arguments': {
        const { index, text } = piece
        return events.delta({ tool_calls: [{ index, function: { arguments: text } }] })
      }
      case 'finish':
        return begin() + events.finish(piece.reason)
      case 'usage':
        return withUsage ? events.usage(usageOf(piece.usage)) : ''
    }
  }
}

type OpenedCall = Extract<Piece, { type: 'tool-call' }>

function openedCall({ index, name, text }: OpenedCall, id: string): Delta {
  const call = { id, type: 'function' as const, function: { name, arguments: text } }
  return { tool_calls: [{ index, ...call }] }
}

async function answerJson(
  call: Call,
  pieces: Pieces,
  head: ChunkHead,
  newCallId: NewCallId,
): Promise<void> {
  const { response, headers } = call
  const body = JSON.stringify(await assemble(pieces, head, newCallId))
  const bytes = Buffer.byteLength(body)
  headers['content-type'] = 'application/json'
  headers['content-length'] = bytes
  response.writeHead(200, headers)
  // Node sends a string together with the headers in one write. ASCII need not be encoded.
  response.end(body, bytes === body.length ? 'latin1' : 'utf8')
}

async function assemble(
  pieces: Pieces,
  head: ChunkHead,
  newCallId: NewCallId,
): Promise<ChatResponse> {
  const reply = emptyReply()
  for await (const batch of pieces) for (const piece of batch.pieces) addPiece(reply, piece)
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
