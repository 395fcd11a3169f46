import { request, type IncomingMessage } from 'node:http'
import { TOKEN } from './engine.ts'

/** What a client was told that a request used. */
export type ToldUsage = {
  readonly prompt: number
  readonly cached: number
  readonly completion: number
  readonly reasoning: number
}

/**
 * How a request ended for its client: `whole` with its usage and, in a stream, the end marker;
 * `told` with an error, as a status or as an event; `cut` after an answer had begun; `silent`
 * without any answer.
 */
export type Ending = 'whole' | 'told' | 'cut' | 'silent'

/** One request as its client saw it. */
export type Exchange = {
  readonly requestId: string | undefined
  /** 0 if there was no answer. */
  readonly status: number
  readonly ending: Ending
  readonly usage: ToldUsage | undefined
  /** Tokens of a stream that arrived. */
  readonly seen: number
  readonly endedMs: number
  /** Tokens of a stream that had arrived by a moment of `performance.now()`. */
  seenBy(momentMs: number): number
}

type Target = { readonly apiRoot: string; readonly key: string }

/** Everything that came of one request, as it comes. */
type Reading = {
  answer: IncomingMessage | undefined
  text: string
  usage: ToldUsage | undefined
  seen: number
  whole: boolean
  failed: boolean
  readonly arrivals: { readonly atMs: number; readonly seen: number }[]
}

type Wire = {
  readonly error?: unknown
  readonly usage?: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly prompt_tokens_details?: { readonly cached_tokens?: number }
    readonly completion_tokens_details?: { readonly reasoning_tokens?: number }
  } | null
  readonly choices?: readonly { readonly delta?: WireDelta }[]
}

type WireDelta = {
  readonly content?: string | null
  readonly reasoning_content?: string | null
  readonly tool_calls?: readonly { readonly function?: { readonly arguments?: string } }[]
}

/** A request that is under way. */
export type OpenExchange = {
  readonly ended: Promise<Exchange>
  /** Resolves when as many tokens of a stream have arrived, or when it has ended. */
  reached(tokens: number): Promise<void>
  /** Closes the connection. */
  leave(): void
}

/** Sends a request over a connection of its own, and reads what comes until it ends or breaks. */
export function openExchange({ apiRoot, key }: Target, body: object): OpenExchange {
  const ended = Promise.withResolvers<Exchange>()
  const streamed = (body as { stream?: boolean }).stream === true
  const reading = startReading()
  let waiting: { tokens: number; resolve: () => void } | undefined
  const sent = request(`${apiRoot}/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  })
  const end = () => {
    ended.resolve(exchangeOf(reading))
    waiting?.resolve()
  }
  sent.on('response', (response) => {
    reading.answer = response
    response.setEncoding('utf8')
    response.on('data', (part: string) => {
      reading.text += part
      if (streamed && response.statusCode === 200) readEvents(reading)
      if (waiting !== undefined && reading.seen >= waiting.tokens) waiting.resolve()
    })
    response.on('end', () => {
      if (response.complete && !(streamed && response.statusCode === 200)) readBody(reading)
    })
    response.on('error', end)
    response.on('close', end)
  })
  sent.on('error', end)
  sent.on('close', end)
  sent.end(JSON.stringify(body))
  return {
    ended: ended.promise,
    reached(tokens) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting = { tokens, resolve }
      if (reading.seen >= tokens) resolve()
      return promise
    },
    leave: () => void sent.destroy(),
  }
}

export function exchange(target: Target, body: object): Promise<Exchange> {
  return openExchange(target, body).ended
}

function startReading(): Reading {
  return {
    answer: undefined,
    text: '',
    usage: undefined,
    seen: 0,
    whole: false,
    failed: false,
    arrivals: [],
  }
}

function exchangeOf(reading: Reading): Exchange {
  const { answer, usage, seen, arrivals } = reading
  const requestId = answer?.headers['x-request-id']
  return {
    requestId: typeof requestId === 'string' ? requestId : undefined,
    status: answer?.statusCode ?? 0,
    ending: endingOf(reading),
    usage,
    seen,
    endedMs: performance.now(),
    seenBy: (momentMs) => arrivals.findLast(({ atMs }) => atMs <= momentMs)?.seen ?? 0,
  }
}

function endingOf({ answer, whole, failed }: Reading): Ending {
  if (answer === undefined) return 'silent'
  if (failed || answer.statusCode !== 200) return 'told'
  return whole ? 'whole' : 'cut'
}

function readEvents(reading: Reading): void {
  const events = reading.text.split('\n\n')
  reading.text = events.pop() ?? ''
  for (const event of events) {
    if (event === 'data: [DONE]') reading.whole = reading.usage !== undefined
    else if (event.startsWith('data: ')) readWire(reading, JSON.parse(event.slice(6)) as Wire)
  }
  reading.arrivals.push({ atMs: performance.now(), seen: reading.seen })
}

function readBody(reading: Reading): void {
  readWire(reading, JSON.parse(reading.text) as Wire)
  reading.whole = reading.usage !== undefined
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
