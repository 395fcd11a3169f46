import type { ChatRequest } from '../contract/chat-request.ts'
import type { Piece, PieceBatch } from '../engines/adapters/piece.ts'
import { Content } from '../lib/content.ts'
import type { Caller } from '../tenancy/caller.ts'
import type { ContentRecord } from '../tenancy/content-record.ts'
import { addPiece, emptyReply } from './reply.ts'

/** Where content goes that an organization lets the operator keep. None of it waits or throws. */
export type ContentLog = {
  /** Takes memory for what a request gathers; false if there is no more to be had. */
  claim(bytes: number): boolean
  /** Takes over the record, and with it what was claimed for it. */
  keep(record: ContentRecord, claimedBytes: number): void
  /** Counts a record that is not kept, and gives back what was claimed for it. */
  drop(claimedBytes: number): void
}

/** The largest body that is accepted by default, and an answer of a good length. */
const RECORD_BYTES_MAX = 16 * 1024 * 1024

/** JavaScript holds a character in one byte or two. */
const BYTES_PER_CHARACTER = 2

/** What is known of a request whose content may be kept. */
export type Retained = {
  readonly requestId: string
  readonly caller: Caller
  readonly request: ChatRequest
}

/**
 * Keeps a request and its answer if its organization agreed to that, and otherwise does nothing
 * at all: the very same pieces go on. What is kept is what the client was told, up to where it
 * broke off; of a request that was told nothing, nothing is kept.
 */
export function retain(
  batches: AsyncIterable<PieceBatch>,
  retained: Retained,
  contentLog: ContentLog | undefined,
): AsyncIterable<PieceBatch> {
  const { retention, terms } = retained.caller
  if (contentLog === undefined) return batches
  if (retention === 'zero' || (retention === 'contributor' && terms === null)) return batches
  const head = headOf(retained, retention)
  return gather(batches, retained.request, head, contentLog)
}

type Head = Omit<ContentRecord, 'content'>

function headOf({ requestId, caller, request }: Retained, retention: Head['retention']): Head {
  const { organizationId, projectId, terms } = caller
  const consent = retention === 'contributor' ? terms : null
  const { model } = request
  return { id: requestId, organizationId, projectId, model, retention, terms: consent }
}

async function* gather(
  batches: AsyncIterable<PieceBatch>,
  request: ChatRequest,
  head: Head,
  contentLog: ContentLog,
): AsyncGenerator<PieceBatch, void> {
  const gathered: Gathered = { pieces: [], bytes: 0, whole: true }
  try {
    for await (const batch of batches) {
      if (gathered.whole) add(gathered, batch, contentLog)
      yield batch
    }
  } finally {
    const nothing = gathered.whole && gathered.pieces.length === 0
    // After the turn in which the client gets its end, because a long request takes a while to
    // become bytes.
    if (!nothing) setImmediate(handOver, request, head, gathered, contentLog)
  }
}

type Gathered = {
  pieces: Piece[]
  bytes: number
  /** False once a bound was met: half an answer would pass for one. */
  whole: boolean
}

function add(gathered: Gathered, { pieces }: PieceBatch, contentLog: ContentLog): void {
  let characters = 0
  for (const piece of pieces) if ('text' in piece) characters += piece.text.length
  const bytes = characters * BYTES_PER_CHARACTER
  if (gathered.bytes + bytes > RECORD_BYTES_MAX || !contentLog.claim(bytes)) {
    gathered.whole = false
    gathered.pieces = []
    return
  }
  gathered.bytes += bytes
  gathered.pieces.push(...pieces)
}

function handOver(
  request: ChatRequest,
  head: Head,
  gathered: Gathered,
  contentLog: ContentLog,
): void {
  const content = gathered.whole ? contentOf(request, gathered.pieces) : undefined
  if (content === undefined || content.byteLength > RECORD_BYTES_MAX)
    contentLog.drop(gathered.bytes)
  else contentLog.keep({ ...head, content }, gathered.bytes)
}

/** Undefined for what cannot be written down, which must not disturb anyone. */
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
