import type { ChatChunk } from '../../../../../src/contract/chat-chunk.ts'
import type { ErrorBody } from '../../../../../src/contract/error.ts'
import { byteLength } from '../../../../../src/lib/byte-length.ts'
import type { EventKind, StreamEvent } from './event-log.ts'

export type ReadEvent = {
  readonly event: StreamEvent
  readonly chunk?: ChatChunk
  readonly error?: ErrorBody['error']
  readonly isDone?: boolean
}

const PIECE_LENGTH_MAX = 120
const FRAME_BYTES = 'data: \n\n'.length
const COMMENT_BYTES = ': \n\n'.length

/** One event of a chat stream. Undefined if it is nothing that the API sends. */
export function readEvent(data: string, at: number): ReadEvent | undefined {
  const bytes = FRAME_BYTES + byteLength(data)
  if (data === '[DONE]')
    return {
      isDone: true,
      event: { at, kind: 'done', piece: '[DONE]', bytes, padding: 0, raw: data },
    }
  const value = parse(data)
  if (value === undefined) return undefined
  if ('error' in value) {
    const raw = data.trimEnd()
    const piece = value.error.message.slice(0, PIECE_LENGTH_MAX)
    const padding = data.length - raw.length
    return { error: value.error, event: { at, kind: 'error', piece, bytes, padding, raw } }
  }
  const padding = value.obfuscation?.length ?? 0
  const raw = padding === 0 ? data : data.replace(`,"obfuscation":"${value.obfuscation}"`, '')
  const { kind, piece } = describe(value)
  return { chunk: value, event: { at, kind, piece, bytes, padding, raw } }
}

/** A comment: the service is alive and the model has nothing to say yet. */
export function readComment(text: string, at: number): StreamEvent {
  const bytes = COMMENT_BYTES + byteLength(text)
  return { at, kind: 'keep-alive', piece: '', bytes, padding: text.length, raw: ':' }
}

function parse(data: string): ChatChunk | ErrorBody | undefined {
  try {
    const value = JSON.parse(data) as ChatChunk | ErrorBody
    return 'error' in value || Array.isArray(value.choices) ? value : undefined
  } catch {
    return undefined
  }
}

function describe({ choices, usage }: ChatChunk): { kind: EventKind; piece: string } {
  const [choice] = choices
  if (choice === undefined)
    return { kind: 'usage', piece: usage === null ? '' : JSON.stringify(usage) }
  const { delta, finish_reason: finish } = choice
  if (finish !== null) return { kind: 'finish', piece: finish }
  if (delta.tool_calls !== undefined) {
    const [call] = delta.tool_calls
    const name = call?.function?.name ?? ''
    return { kind: 'tool', piece: cut(`${name}${call?.function?.arguments ?? ''}`) }
  }
  if (delta.content !== undefined) return { kind: 'text', piece: cut(delta.content) }
  if (delta.role !== undefined) return { kind: 'role', piece: delta.role }
  return { kind: 'reasoning', piece: cut(delta.reasoning_content ?? '') }
}

function cut(text: string): string {
  return text.slice(0, PIECE_LENGTH_MAX).replaceAll('\n', '↵')
}
