import type { ServerResponse } from 'node:http'
import { startFakeEngine } from '../../harness/fake-engine/server.ts'

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
  /** Resolves when so many events were forwarded, or all if there were fewer. */
  held(seed: number): Promise<Forwarded>
}

type Wire = {
  readonly timings?: Readonly<Record<'cache_n' | 'prompt_n' | 'predicted_n', number>>
}

type Hold = { readonly events: number; readonly reached: PromiseWithResolvers<Forwarded> }

export async function startHoldingProxy(engineUrl: string): Promise<HoldingProxy> {
  const holds = new Map<number, Hold>()
  const holdOf = (seed: number) => {
    const hold = holds.get(seed)
    if (hold === undefined) throw new Error(`no generation with seed ${seed} is to be held`)
    return hold
  }
  const proxy = await startFakeEngine(async ({ body, response }) => {
    const leaving = new AbortController()
    response.once('close', () => leaving.abort())
    const upstream = await fetch(`${engineUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: leaving.signal,
    })
    const type = upstream.headers.get('content-type') ?? 'application/json'
    response.writeHead(upstream.status, { 'content-type': type }).flushHeaders()
    await forward(upstream, response, holdOf(body['seed'] as number))
  })
  return {
    url: proxy.url,
    holdAfter: (seed, events) => void holds.set(seed, { events, reached: Promise.withResolvers() }),
    held: (seed) => holdOf(seed).reached.promise,
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  }
}

/** Forwards whole events, one write each, until as many as wanted are sent. */
async function forward(from: Response, to: ServerResponse, hold: Hold): Promise<void> {
  let forwarded: Forwarded = { events: 0, counted: undefined, whole: false }
  let text = ''
  for await (const part of from.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (text + part).split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      if (forwarded.events >= hold.events) {
        hold.reached.resolve(forwarded)
        // The loop goes on reading, so that the engine is not held up.
        break
      }
      to.write(`${event}\n\n`)
      if (!event.startsWith('data: {')) continue
      const counted = countedIn(event) ?? forwarded.counted
      forwarded = { events: forwarded.events + 1, counted, whole: false }
    }
    if (to.destroyed) return
  }
  const whole = forwarded.events < hold.events
  hold.reached.resolve({ ...forwarded, whole })
  if (whole) to.end(text)
}

function countedIn(event: string): Counted | undefined {
  const { timings } = JSON.parse(event.slice('data: '.length)) as Wire
  if (timings === undefined) return undefined
  const { cache_n: cached, prompt_n: processed, predicted_n: completion } = timings
  return { prompt: cached + processed, cached, completion }
}
