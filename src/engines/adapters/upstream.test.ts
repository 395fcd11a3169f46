import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createReadPauses } from '../wire/read-pauses.ts'
import { connectUpstream, type Upstream, type UpstreamTraits } from './upstream.ts'

const TRAITS: UpstreamTraits = { keepAlive: false, errorKindOf: () => 'status' }

async function connectTo(server: Server): Promise<Upstream> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const readPauses = createReadPauses(0)
  const engine = { name: 'one', url, apiKey: undefined, slots: 1, modelName: 'any', readPauses }
  return connectUpstream(engine, TRAITS)
}

test('a response that arrives faster than it is read is complete', async () => {
  const event = `data: ${'x'.repeat(480)}\n\n`
  const events = 4_000
  const server = createServer((_request, response) => {
    for (let sent = 0; sent < events; sent += 1) response.write(event)
    response.end()
  })
  const upstream = await connectTo(server)
  let length = 0
  const bytes = await upstream.post('/', {}, AbortSignal.timeout(20_000))
  bytes.allowPauses(createReadPauses(1, () => 1))
  const reader = {
    take: (_chunk: Buffer, start: number, end: number) => void (length += end - start),
    takeBatch: () => undefined,
    isOver: () => false,
    onEnd: () => undefined,
  }
  for await (const _ of bytes.read(reader));
  assert.equal(length, events * event.length)
  upstream.close()
  server.close()
})

test('a traceparent is sent as a header of its own, and only if there is one', async () => {
  const seen: unknown[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      seen.push([request.headers.traceparent, body])
      response.end()
    })
  })
  const upstream = await connectTo(server)
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  await upstream.post('/', { a: 1 }, AbortSignal.timeout(20_000), { traceparent })
  await upstream.post('/', { b: 2 }, AbortSignal.timeout(20_000))
  assert.deepEqual(seen, [
    [traceparent, '{"a":1}'],
    [undefined, '{"b":2}'],
  ])
  upstream.close()
  server.close()
})
