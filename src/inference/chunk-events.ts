import type { Delta } from '../contract/chat-chunk.ts'
import type { ErrorBody } from '../contract/error.ts'
import type { FinishReason, Usage } from '../contract/chat-response.ts'
import { padding } from '../lib/padding.ts'

/** The same in every chunk of a stream. */
export type ChunkHead = { readonly id: string; readonly created: number; readonly model: string }

/** Renders chunks as server-sent events. */
export type ChunkEvents = {
  delta(delta: Delta): string
  finish(reason: FinishReason): string
  usage(usage: Usage): string
  error(body: ErrorBody): string
  /** Says nothing, in an event's size. */
  readonly comment: () => string
}

export const DONE_EVENT = 'data: [DONE]\n\n'

/** Whole events come in multiples of this, so that their size says little about their token. */
const EVENT_BYTES_STEP = 64

const PADDED_BY = ',"obfuscation":""'.length
const COMMENTED_BY = ': \n\n'.length

/**
 * The head is serialised once for the stream: an event then costs one JSON.stringify of a delta.
 * With `obfuscate`, every event is padded up to the next step, and up to the longest event that
 * the stream's structure alone can cause.
 */
export function createChunkEvents(head: ChunkHead, obfuscate: boolean): ChunkEvents {
  const { id, created, model } = head
  const start = JSON.stringify({ id, object: 'chat.completion.chunk', created, model })
  const opening = `data: ${start.slice(0, -1)},"choices":[`
  const render = (choices: string, usage: string, bytesMin: number) => {
    const event = `${opening}${choices}],"usage":${usage}`
    if (!obfuscate) return `${event}}\n\n`
    const bytes = Buffer.byteLength(event) + PADDED_BY + '}\n\n'.length
    const wanted = sizeOf(bytes, bytesMin)
    return `${event},"obfuscation":"${padding(wanted - bytes)}"}\n\n`
  }
  const choice = (delta: Delta, reason: FinishReason | null) =>
    `{"index":0,"delta":${JSON.stringify(delta)},"finish_reason":${JSON.stringify(reason)}}`
  const bytesMin = Buffer.byteLength(render(choice(LONGEST_STRUCTURAL, null), 'null', 0))
  return {
    delta: (delta) => render(choice(delta, null), 'null', bytesMin),
    finish: (reason) => render(choice({}, reason), 'null', bytesMin),
    usage: (usage) => render('', JSON.stringify(usage), bytesMin),
    error: (body) => renderError(body, obfuscate ? bytesMin : 0),
    comment: () => `: ${obfuscate ? padding(bytesMin - COMMENTED_BY) : 'keepalive'}\n\n`,
  }
}

function sizeOf(bytes: number, bytesMin: number): number {
  return Math.ceil(Math.max(bytes, bytesMin) / EVENT_BYTES_STEP) * EVENT_BYTES_STEP
}

/** An error has the shape of an error body and no other member, so spaces pad it. */
function renderError(body: ErrorBody, bytesMin: number): string {
  const event = `data: ${JSON.stringify(body)}`
  const bytes = Buffer.byteLength(event) + '\n\n'.length
  return `${event}${' '.repeat(bytesMin === 0 ? 0 : sizeOf(bytes, bytesMin) - bytes)}\n\n`
}

const LONGEST_STRUCTURAL: Delta = {
  tool_calls: [
    {
      index: 0,
      id: 'call_000000000000000000000000',
      type: 'function',
      function: { name: 'a_name_of_usual_length', arguments: '' },
    },
  ],
}
