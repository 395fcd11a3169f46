import { TOKEN } from '../fake-engine/counting.ts'
import { openChat } from './stream-client.ts'

/** Usage as the client received it. */
export type ReportedUsage = {
  readonly prompt: number
  readonly cached: number
  readonly completion: number
  readonly reasoning: number
}

/** One finished request as its client saw it. */
export type Exchange = {
  /** Empty if there was no answer. */
  readonly requestId: string
  /** 0 if there was no answer. */
  readonly status: number
  /** Whether the answer arrived to its end, with usage and without an error. */
  readonly complete: boolean
  readonly usage: ReportedUsage | undefined
  /** Tokens of a stream that arrived. */
  readonly seen: number
  readonly endedMs: number
  /** Tokens of a stream that had arrived by a moment of `performance.now()`. */
  readonly seenBy: (momentMs: number) => number
}

/** A request in progress. */
export type OpenExchange = {
  readonly ended: Promise<Exchange>
  /** Resolves when as many tokens of a stream have arrived, or when it has ended. */
  reached(tokens: number): Promise<void>
  /** Closes the connection. */
  leave(): void
}

type WireUsage = {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly prompt_tokens_details?: { readonly cached_tokens?: number }
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number }
}

type WireDelta = {
  readonly content?: string | null
  readonly reasoning_content?: string | null
  readonly tool_calls?: readonly { readonly function?: { readonly arguments?: string } }[]
}

/** A chunk of a stream, or a whole JSON answer. */
type Wire = {
  readonly error?: unknown
  readonly usage?: WireUsage | null
  readonly choices?: readonly { readonly delta?: WireDelta }[]
}

/** What has been read of an answer so far. */
type Reading = {
  usage: ReportedUsage | undefined
  seen: number
  done: boolean
  failed: boolean
  /** The beginning of an event whose end has not arrived. */
  rest: string
  readonly arrivals: { readonly atMs: number; readonly seen: number }[]
}

type Target = { readonly apiRoot: string; readonly key: string }

/** Sends a request over a connection of its own and counts its tokens as they arrive. */
export function openExchange(target: Target, body: object): OpenExchange {
  const streams = (body as { stream?: boolean }).stream === true
  const reading: Reading = {
    usage: undefined,
    seen: 0,
    done: false,
    failed: false,
    rest: '',
    arrivals: [],
  }
  let waiting: { tokens: number; resolve: () => void } | undefined
  const chat = openChat(target, body, undefined, (part) => {
    if (streams && chat.status === 200) readEvents(reading, part)
    if (waiting !== undefined && reading.seen >= waiting.tokens) waiting.resolve()
  })
  const finish = async (): Promise<Exchange> => {
    const ending = await chat.ended
    const { requestId, status } = chat
    if (ending === 'complete' && !(streams && status === 200)) {
      readWire(reading, JSON.parse(chat.text) as Wire)
      reading.done = true
    }
    waiting?.resolve()
    const { usage, seen, done, failed, arrivals } = reading
    return {
      requestId,
      status,
      complete: status === 200 && done && !failed && usage !== undefined,
      usage,
      seen,
      endedMs: performance.now(),
      seenBy: (momentMs) => arrivals.findLast(({ atMs }) => atMs <= momentMs)?.seen ?? 0,
    }
  }
  return {
    ended: finish(),
    reached(tokens) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting = { tokens, resolve }
      if (reading.seen >= tokens) resolve()
      return promise
    },
    leave: () => void chat.leave(),
  }
}

export function exchange(target: Target, body: object): Promise<Exchange> {
  return openExchange(target, body).ended
}

function readEvents(reading: Reading, part: string): void {
  const events = (reading.rest + part).split('\n\n')
  reading.rest = events.pop() ?? ''
  for (const event of events) {
    if (event === 'data: [DONE]') reading.done = true
    else if (event.startsWith('data: ')) readWire(reading, JSON.parse(event.slice(6)) as Wire)
  }
  reading.arrivals.push({ atMs: performance.now(), seen: reading.seen })
}

function readWire(reading: Reading, { error, usage, choices = [] }: Wire): void {
  if (error !== undefined) reading.failed = true
  if (usage !== undefined && usage !== null)
    reading.usage = {
      prompt: usage.prompt_tokens,
      completion: usage.completion_tokens,
      cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
      reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    }
  for (const { delta = {} } of choices) {
    const calls = delta.tool_calls ?? []
    const texts = [delta.content, delta.reasoning_content].concat(
      calls.map((call) => call.function?.arguments),
    )
    for (const text of texts) reading.seen += (text ?? '').length / TOKEN.length
  }
}
