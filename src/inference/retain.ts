import type { ChatRequest } from '../contract/chat-request.ts'
import type { GenerationStream, Piece, PieceBatch } from '../engines/adapters/piece.ts'
import { Content } from '../lib/content.ts'
import type { Caller } from '../tenancy/caller.ts'
import type { ContentRecord } from '../tenancy/content-record.ts'
import { addPiece, emptyReply } from './reply.ts'

/** Stores content that an organization allows to be retained. Never blocks and never throws. */
export type ContentLog = {
  /** Reserves memory for the content of a request; false if there is none left. */
  claim(bytes: number): boolean
  /** Takes over the record and the memory claimed for it. */
  keep(record: ContentRecord, claimedBytes: number): void
  /** Counts a record that is not stored, and releases the memory claimed for it. */
  drop(claimedBytes: number): void
}

/** Fits the largest body that is accepted by default and a long reply. */
const RECORD_BYTES_MAX = 16 * 1024 * 1024

/** JavaScript stores a character in one or two bytes. */
const BYTES_PER_CHARACTER_MAX = 2

export type RetainedRequest = {
  readonly requestId: string
  readonly caller: Caller
  readonly request: ChatRequest
}

/**
 * Retains a request and its reply if its organization agreed to that; otherwise returns the stream
 * untouched. The retained reply is what the client was sent, up to where the stream broke off. A
 * request without any reply is not retained.
 */
export function retain(
  generated: GenerationStream,
  retained: RetainedRequest,
  contentLog: ContentLog | undefined,
): GenerationStream {
  const { retention } = retained.caller
  if (contentLog === undefined || retention === 'zero' || !isRetained(retained.caller, contentLog))
    return generated
  const metadata = metadataOf(retained, retention)
  return collect(generated, retained.request, metadata, contentLog)
}

/** Whether the content of a caller's requests is kept until they end, and then stored. */
export function isRetained({ retention, terms }: Caller, contentLog?: ContentLog): boolean {
  if (contentLog === undefined || retention === 'zero') return false
  return retention !== 'contributor' || terms !== null
}

type Metadata = Omit<ContentRecord, 'content'>

function metadataOf(
  { requestId, caller, request }: RetainedRequest,
  retention: Metadata['retention'],
): Metadata {
  const { organizationId, projectId, terms } = caller
  const consent = retention === 'contributor' ? terms : null
  const { model } = request
  return { id: requestId, organizationId, projectId, model, retention, terms: consent }
}

function collect(
  generated: GenerationStream,
  request: ChatRequest,
  metadata: Metadata,
  contentLog: ContentLog,
): GenerationStream {
  const collected: Collected = { pieces: [], bytes: 0, complete: true }
  return async (onBatch) => {
    try {
      await generated((batch) => {
        if (collected.complete) add(collected, batch, contentLog)
        return onBatch(batch)
      })
    } finally {
      const isEmpty = collected.complete && collected.pieces.length === 0
      // Deferred until the client was sent the end, because serializing a long request takes long.
      if (!isEmpty) setImmediate(store, request, metadata, collected, contentLog)
    }
  }
}

type Collected = {
  pieces: Piece[]
  bytes: number
  /** False once a limit was exceeded: a truncated reply must not pass for a complete one. */
  complete: boolean
}

function add(collected: Collected, { pieces }: PieceBatch, contentLog: ContentLog): void {
  let characters = 0
  for (const piece of pieces) if ('text' in piece) characters += piece.text.length
  const bytes = characters * BYTES_PER_CHARACTER_MAX
  if (collected.bytes + bytes > RECORD_BYTES_MAX || !contentLog.claim(bytes)) {
    collected.complete = false
    collected.pieces = []
    return
  }
  collected.bytes += bytes
  collected.pieces.push(...pieces)
}

function store(
  request: ChatRequest,
  metadata: Metadata,
  collected: Collected,
  contentLog: ContentLog,
): void {
  const content = collected.complete ? contentOf(request, collected.pieces) : undefined
  if (content === undefined || content.byteLength > RECORD_BYTES_MAX)
    contentLog.drop(collected.bytes)
  else contentLog.keep({ ...metadata, content }, collected.bytes)
}

/** Undefined if the content cannot be serialized: an error here must not affect the request. */
function contentOf(request: ChatRequest, pieces: readonly Piece[]): Content | undefined {
  try {
    return new Content(Buffer.from(JSON.stringify({ request, response: responseOf(pieces) })))
  } catch {
    return undefined
  }
}

/** The reply in the wire format. Its `finish_reason` is null if the stream broke off. */
function responseOf(pieces: readonly Piece[]) {
  const reply = emptyReply()
  for (const piece of pieces) addPiece(reply, piece)
  const { content, reasoning = '', calls, finishReason } = reply
  const message = {
    role: 'assistant',
    content: content === '' ? null : content,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0
      ? {}
      : { tool_calls: calls.map((call) => ({ type: 'function', function: call })) }),
  }
  return { message, finish_reason: finishReason ?? null }
}
