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
 * the structure of a stream with these tools can cause, so that all kinds look alike.
 */
export function createChunkEvents(
  head: ChunkHead,
  obfuscate: boolean,
  tools: readonly NamedTool[],
): ChunkEvents {
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
  const bytesMin = obfuscate ? Buffer.byteLength(render(longestChoice(tools), 'null', 0)) : 0
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

function choice(delta: Delta, reason: FinishReason | null): string {
  return `{"index":0,"delta":${JSON.stringify(delta)},"finish_reason":${JSON.stringify(reason)}}`
}

type NamedTool = { readonly function: { readonly name: string } }

/** Room for a word or the first arguments of a call, in the event that they stand in. */
const ROOM = ' '.repeat(16)

/** The longest that structure makes a choice: a piece of reasoning, or the opening of a call. */
function longestChoice(tools: readonly NamedTool[]): string {
  const reasoning = choice({ reasoning_content: ROOM }, null)
  const names = tools.map((tool) => tool.function.name)
  if (names.length === 0) return reasoning
  const name = names.reduce((long, each) => (each.length > long.length ? each : long))
  const called = { name, arguments: ROOM }
  const call = {
    index: 0,
    id: `call_${'0'.repeat(24)}`,
    type: 'function' as const,
    function: called,
  }
  return choice({ tool_calls: [call] }, null)
}
