import type { Delta } from '../contract/chat-chunk.ts'
import type { ErrorBody } from '../contract/error.ts'
import type { FinishReason, Usage } from '../contract/chat-response.ts'
import { padding } from '../lib/padding.ts'

/** The same in every chunk of a stream. */
export type ChunkHead = { readonly id: string; readonly created: number; readonly model: string }

export const DONE_EVENT = 'data: [DONE]\n\n'

/** Events are padded to multiples of this, so that their size reveals little about their token. */
const EVENT_BYTES_STEP = 64

const PADDING_OVERHEAD_BYTES = ',"obfuscation":""'.length
const COMMENT_OVERHEAD_BYTES = ': \n\n'.length

/**
 * Renders chunks as server-sent events. The head is serialized once per stream, so an event costs
 * one JSON.stringify of a delta. With `obfuscate`, every event is padded to the next step, and at
 * least to the longest event that the structure of a stream with these tools can cause, so that all
 * kinds of events look alike.
 */
export class ChunkEvents {
  readonly #opening: string
  readonly #obfuscate: boolean
  /** The least size of an event; 0 without padding. */
  readonly #bytesMin: number

  constructor(head: ChunkHead, obfuscate: boolean, tools: readonly NamedTool[]) {
    const { id, created, model } = head
    const start = JSON.stringify({ id, object: 'chat.completion.chunk', created, model })
    this.#opening = `data: ${start.slice(0, -1)},"choices":[`
    this.#obfuscate = obfuscate
    this.#bytesMin = 0
    if (obfuscate) this.#bytesMin = Buffer.byteLength(this.#render(longestChoice(tools), 'null'))
  }

  delta(delta: Delta): string {
    return this.#render(choice(delta, null), 'null')
  }

  finish(reason: FinishReason): string {
    return this.#render(choice({}, reason), 'null')
  }

  usage(usage: Usage): string {
    return this.#render('', JSON.stringify(usage))
  }

  error(body: ErrorBody): string {
    return renderError(body, this.#bytesMin)
  }

  /** A comment of the same size as an event, sent as a keepalive. */
  comment(): string {
    const length = this.#bytesMin - COMMENT_OVERHEAD_BYTES
    return `: ${this.#obfuscate ? padding(length) : 'keepalive'}\n\n`
  }

  #render(choices: string, usage: string): string {
    const event = `${this.#opening}${choices}],"usage":${usage}`
    if (!this.#obfuscate) return `${event}}\n\n`
    const bytes = Buffer.byteLength(event) + PADDING_OVERHEAD_BYTES + '}\n\n'.length
    const wanted = sizeOf(bytes, this.#bytesMin)
    return `${event},"obfuscation":"${padding(wanted - bytes)}"}\n\n`
  }
}

function sizeOf(bytes: number, bytesMin: number): number {
  return Math.ceil(Math.max(bytes, bytesMin) / EVENT_BYTES_STEP) * EVENT_BYTES_STEP
}

/** Padded with spaces, because an error body has no other members. */
function renderError(body: ErrorBody, bytesMin: number): string {
  const event = `data: ${JSON.stringify(body)}`
  const bytes = Buffer.byteLength(event) + '\n\n'.length
  return `${event}${' '.repeat(bytesMin === 0 ? 0 : sizeOf(bytes, bytesMin) - bytes)}\n\n`
}

function choice(delta: Delta, reason: FinishReason | null): string {
  return `{"index":0,"delta":${JSON.stringify(delta)},"finish_reason":${JSON.stringify(reason)}}`
}

type NamedTool = { readonly function: { readonly name: string } }

/** Room for one word, or for the first arguments of a call. */
const ROOM = ' '.repeat(16)

/** The choice with the longest structure: a piece of reasoning, or the opening of a call. */
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
