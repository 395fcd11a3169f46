import { once } from 'node:events'
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What an engine had counted when an event left it. */
export type Counted = {
  readonly prompt: number
  readonly cached: number
  readonly completion: number
}

/** What of a generation was passed on. */
export type Passed = {
  readonly events: number
  readonly counted: Counted | undefined
  /** It ended by itself before it was held. */
  readonly whole: boolean
}

/**
 * Stands between the api and a real engine, and knows what the engine said. After as many events
 * as it is told it passes nothing on any more, so that what the api knows stands still.
 */
export type HoldingProxy = AsyncDisposable & {
  readonly url: string
  /** For the generation that is asked with this seed, which a caller chooses for each. */
  holdAfter(seed: number, events: number): void
  /** Resolves when so many were passed on, or all that there were. */
  held(seed: number): Promise<Passed>
}

type Wire = {
  readonly timings?: {
    readonly cache_n: number
    readonly prompt_n: number
    readonly predicted_n: number
  }
}

const GENERATION_PATH = '/v1/chat/completions'

type Hold = { readonly events: number; readonly reached: PromiseWithResolvers<Passed> }

export async function startHoldingProxy(engineUrl: string): Promise<HoldingProxy> {
  const holds = new Map<number, Hold>()
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request)
    const generates = request.url === GENERATION_PATH
    const hold = generates ? holds.get((JSON.parse(body) as { seed: number }).seed) : undefined
    const { method = 'POST', url: path = '/' } = request
    const headers = { 'content-type': 'application/json' }
    const upstream = ask(`${engineUrl}${path}`, { method, headers, agent: false })
    // Whoever leaves us leaves the engine.
    response.once('close', () => upstream.destroy())
    upstream.on('error', () => response.destroy())
    upstream.end(body)
    const [answered] = (await once(upstream, 'response')) as [IncomingMessage]
    const type = answered.headers['content-type'] ?? 'application/json'
    response.writeHead(answered.statusCode ?? 502, { 'content-type': type })
    response.flushHeaders()
    await passOn(answered, response, hold)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    holdAfter(seed, events) {
      holds.set(seed, { events, reached: Promise.withResolvers<Passed>() })
    },
    held(seed) {
      const hold = holds.get(seed)
      if (hold === undefined) throw new Error('nobody asked for this to be held')
      return hold.reached.promise
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Passes whole events on, one write for each, until as many as wanted have gone. */
async function passOn(from: IncomingMessage, to: ServerResponse, hold: Hold | undefined) {
  let passed: Passed = { events: 0, counted: undefined, whole: false }
  let text = ''
  for await (const part of from.setEncoding('utf8') as AsyncIterable<string>) {
    const events = (text + part).split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      if (hold !== undefined && passed.events >= hold.events) {
        hold.reached.resolve(passed)
        // Reads on without passing on: the engine must not be held up by it.
        break
      }
      to.write(`${event}\n\n`)
      if (event.startsWith('data: {'))
        passed = {
          events: passed.events + 1,
          counted: countedIn(event) ?? passed.counted,
          whole: false,
        }
    }
    if (to.destroyed) return
  }
  const whole = hold === undefined || passed.events < hold.events
  hold?.reached.resolve({ ...passed, whole })
  if (whole) to.end(text)
}

function countedIn(event: string): Counted | undefined {
  const { timings } = JSON.parse(event.slice(6)) as Wire
  if (timings === undefined) return undefined
  const { cache_n: cached, prompt_n: processed, predicted_n: completion } = timings
  return { prompt: cached + processed, cached, completion }
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString()
}
