import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Burst, ObservedWay } from './observed-way.ts'
import type { Kind, Step } from './steps.ts'

/** What one step of an engine made the service send. */
export type Seen = Burst & { readonly kind: Kind }

/** An engine that says what it was told to say, and goes on when the last of it has arrived. */
export type RehearsedEngine = AsyncDisposable & {
  readonly port: number
  readonly url: string
  /** What is said next, and where it is noted what came of it. */
  rehearse(steps: readonly Step[], seen: Seen[]): void
}

export type Speak = (response: ServerResponse, step: Step) => void

/** `speak` writes one step; with it this can also stand in for a service that pads otherwise. */
export async function startRehearsedEngine(
  way: ObservedWay,
  speak: Speak = (response, { wire }) => void response.write(wire),
): Promise<RehearsedEngine> {
  let steps: readonly Step[] = []
  let seen: Seen[] = []
  const server = createServer((request, response) => void answer(request, response))
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume()
    await once(request, 'end')
    response.socket?.setNoDelay(true)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    // What came before belongs to the connection: session tickets, say.
    await way.takeBurst()
    for (const step of steps) {
      speak(response, step)
      seen.push({ kind: step.kind, ...(await way.takeBurst()) })
    }
    response.end()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    rehearse(nextSteps, nextSeen) {
      steps = nextSteps
      seen = nextSeen
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
