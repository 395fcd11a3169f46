// An engine that keeps every generation waiting at a gate, and says exactly what each used.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Counts = { readonly prompt: number; readonly completion: number }

export type GatedEngine = AsyncDisposable & {
  readonly url: string
  /** Generations that wait at the gate. */
  waiting(): number
  /** Lets through who waits, and whoever comes until it is closed. */
  open(): void
  close(): void
}

/** `use` decides what a generation uses, within the tokens that it may make. */
export async function startGatedEngine(use: (tokensMax: number) => Counts): Promise<GatedEngine> {
  let gate = Promise.withResolvers<void>()
  let waiting = 0
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // It has no counters that a worker could read.
    if (request.method !== 'POST') {
      response.writeHead(404).end()
      return
    }
    const body = await readJson(request)
    if (request.url === '/v1/chat/completions/input_tokens') {
      response.end(JSON.stringify({ input_tokens: 1 }))
      return
    }
    waiting += 1
    await gate.promise
    waiting -= 1
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(eventsOf(use(Number(body['max_tokens'] ?? body['n_predict']))))
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting: () => waiting,
    open: () => gate.resolve(),
    close() {
      gate = Promise.withResolvers()
    },
    async [Symbol.asyncDispose]() {
      gate.resolve()
      server.close()
      server.closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  }
}

function eventsOf({ prompt, completion }: Counts): string {
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  }
  const choice = (delta: object, finish: string | null) => ({
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const events = [
    choice({ role: 'assistant', content: null }, null),
    choice({ content: 'Some text' }, null),
    choice({}, 'stop'),
    { choices: [], usage },
  ]
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>
}
