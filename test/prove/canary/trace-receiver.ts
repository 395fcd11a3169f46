import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { Form } from './forms.ts'
import { scanText, type Hit } from './scan.ts'

/** Receives every trace. It runs in the proof's own process and writes nothing to disk. */
export type TraceReceiver = AsyncDisposable & {
  readonly url: string
  /** Batches of spans that came. */
  batches(): number
  scan(forms: readonly Form[]): Hit[]
}

export async function startTraceReceiver(): Promise<TraceReceiver> {
  const received: Buffer[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts)
      received.push(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    batches: () => received.length,
    scan: (forms) =>
      received.flatMap((body, index) => scanText(`trace ${index}`, body.toString('latin1'), forms)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
