import type { ServerResponse } from 'node:http'
import { startFakeEngine, type Asked } from '../../harness/fake-engine/server.ts'

/** The engine's counts when it sent an event. */
export type Counted = {
  readonly prompt: number
  readonly cached: number
  readonly completion: number
}

/** The part of a generation that was forwarded. */
export type Forwarded = {
  readonly events: number
  readonly counted: Counted | undefined
  /** Prompt tokens by the engine's first counts, forwarded or not. */
  readonly prompt: number | undefined
  /** Whether the generation ended before it was held. */
  readonly whole: boolean
}

/**
 * A proxy between the api and a real engine that knows what the engine sent. After a set number of
 * events it forwards no more, so that the api's knowledge does not change any further.
 */
export type HoldingProxy = AsyncDisposable & {
  readonly url: string
  /** Sets the number of events for the generation with this seed; every request has its own. */
  holdAfter(seed: number, events: number): void
  /** Resolves when the generation with this seed was asked for. */
  received(seed: number): Promise<void>
  /** Resolves when so many events were forwarded, or all if there were fewer. */
  held(seed: number): Promise<Forwarded>
}

type Wire = {
  readonly choices?: readonly {
    readonly delta?: { readonly reasoning?: string | null; readonly reasoning_content?: string }
  }[]
  /** Of llama-server. */
  readonly timings?: Readonly<Record<'cache_n' | 'prompt_n' | 'predicted_n', number>>
  /** Of vLLM and SGLang. */
  readonly usage?: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null
  } | null
}

type Hold = {
  readonly events: number
  readonly received: PromiseWithResolvers<void>
  readonly reached: PromiseWithResolvers<Forwarded>
}

export async function startHoldingProxy(engineUrl: string): Promise<HoldingProxy> {
  const holds = new Map<number, Hold>()
  const holdOf = (seed: number) => {
    const hold = holds.get(seed)
    if (hold === undefined) throw new Error(`no generation with seed ${seed} is to be held`)
    return hold
  }
  const ask = (body: object, signal: AbortSignal) =>
    fetch(`${engineUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    })
  const answer = async ({ body, response }: Asked) => {
    const hold = holdOf(body['seed'] as number)
    hold.received.resolve()
    const leaving = new AbortController()
    response.once('close', () => leaving.abort())
    const upstream = await ask(body, leaving.signal)
    const type = upstream.headers.get('content-type') ?? 'application/json'
    response.writeHead(upstream.status, { 'content-type': type }).flushHeaders()
    await forward(upstream, response, hold)
  }
  const proxy = await startFakeEngine(answer, { others: engineUrl })
  return {
    url: proxy.url,
    holdAfter(seed, events) {
      const [received, reached] = [
        Promise.withResolvers<void>(),
        Promise.withResolvers<Forwarded>(),
      ]
      holds.set(seed, { events, received, reached })
    },
    received: (seed) => holdOf(seed).received.promise,
    held: (seed) => holdOf(seed).reached.promise,
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  }
}

/** Forwards whole events, one write each, until as many as wanted are sent. */
async function forward(from: Response, to: ServerResponse, hold: Hold): Promise<void> {
  let forwarded: Forwarded = { events: 0, counted: undefined, prompt: undefined, whole: false }
  let text = ''
  for await (const part of from.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (text + part).split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const isChunk = event.startsWith('data: {')
      const found = isChunk ? countedIn(event) : undefined
      const prompt = forwarded.prompt ?? found?.prompt
      if (forwarded.events >= hold.events) {
        forwarded = { ...forwarded, prompt }
        if (prompt !== undefined) hold.reached.resolve(forwarded)
        // The loop goes on reading, so that the engine is not held up.
        continue
      }
      to.write(`${event}\n\n`)
      if (!isChunk) continue
      const counted = found !== undefined && isBilled(event, found) ? found : forwarded.counted
      forwarded = { events: forwarded.events + 1, counted, prompt, whole: false }
    }
    if (to.destroyed) return
  }
  const whole = forwarded.events < hold.events
  hold.reached.resolve({ ...forwarded, whole })
  if (whole) to.end(text)
}

function countedIn(event: string): Counted | undefined {
  const { timings, usage } = JSON.parse(event.slice('data: '.length)) as Wire
  if (timings === undefined) return usage ? usageOf(usage) : undefined
  const { cache_n: cached, prompt_n: processed, predicted_n: completion } = timings
  return { prompt: cached + processed, cached, completion }
}

/**
 * Counts are billed with the text that comes with them. An event before the first token has none,
 * and newlines at the end of reasoning are held until something follows.
 */
function isBilled(event: string, { completion }: Counted): boolean {
  const { choices = [] } = JSON.parse(event.slice('data: '.length)) as Wire
  const { reasoning, reasoning_content: content } = choices[0]?.delta ?? {}
  return completion > 0 && !/^\n+$/.test(reasoning ?? content ?? '')
}

function usageOf(usage: NonNullable<Wire['usage']>): Counted {
  return {
    prompt: usage.prompt_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
    completion: usage.completion_tokens,
  }
}
