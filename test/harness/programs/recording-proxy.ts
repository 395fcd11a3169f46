import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as a program sent it, and how the service answered. */
export type Seen = {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>> | undefined
  status: number
  /** The body of an answer that is not a 200. */
  error: string
}

export type RecordingProxy = AsyncDisposable & {
  readonly url: string
  /** Forgets what it has seen and returns it. */
  take(): readonly Seen[]
}

/** Stands between programs and the service, and passes everything on as it is. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  let seen: Seen[] = []
  const server = createServer((incoming, answer) => {
    passOn(incoming, answer, target, (each) => seen.push(each)).catch(() => answer.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    take() {
      const taken = seen
      seen = []
      return taken
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function passOn(
  incoming: IncomingMessage,
  answer: ServerResponse,
  target: string,
  record: (seen: Seen) => void,
): Promise<void> {
  const { url = '', method, headers } = incoming
  const sent = await readAll(incoming)
  const seen: Seen = { path: url, body: parse(sent), status: 0, error: '' }
  record(seen)
  const own = { ...headers, host: new URL(target).host, 'content-length': `${sent.length}` }
  delete (own as Record<string, unknown>)['transfer-encoding']
  const onward = request(new URL(target), { path: url, method, headers: own }, (received) => {
    seen.status = received.statusCode ?? 502
    answer.writeHead(seen.status, received.headers)
    if (seen.status !== 200) received.on('data', (part: Buffer) => (seen.error += part.toString()))
    received.pipe(answer)
  })
  onward.on('error', () => answer.destroy())
  answer.on('close', () => onward.destroy())
  onward.end(sent)
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of incoming as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts)
}

function parse(sent: Buffer): Seen['body'] {
  try {
    return JSON.parse(sent.toString()) as Seen['body']
  } catch {
    return undefined
  }
}
