import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Log, LogFields } from '../log.ts'
import { openSpanExport, type EndedSpan, type SpanExport } from './span-export.ts'

const TRACE_ID = '0199d1a23b4c7def8123456789abcdef'
/** A stop waits 2 s for a collector, a busy machine longer; the library alone would wait 10 s. */
const STOP_MS = 6_000
/** More than the queue holds. */
const MANY = 5_000

function span(change: Partial<EndedSpan> = {}): EndedSpan {
  const [startMs, endMs] = [performance.now() - 5, performance.now()]
  const times = { startMs, endMs }
  return { id: '4123456789abcdef', name: 'step', kind: 'internal', ...times, ...FACTS, ...change }
}
const FACTS = { attributes: { 'test.attribute': 'attribute-value' }, failed: false }

type Warning = LogFields & { readonly message: string }

function open(url: string): { spans: SpanExport; warnings: Warning[] } {
  const warnings: Warning[] = []
  const warn = (fields: LogFields, message: string) => void warnings.push({ ...fields, message })
  const log: Log = { debug: () => {}, info: () => {}, warn, error: warn }
  const options = {
    headers: { 'x-key': 'key-of-the-collector' },
    resource: { 'service.name': 's' },
  }
  return { spans: openSpanExport({ endpoint: `${url}/v1/traces`, log, ...options }), warnings }
}

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const end = () => {
    server.closeAllConnections()
    server.close()
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, end, [Symbol.dispose]: end }
}

/** The time until all is sent or dropped. */
async function close(spans: SpanExport): Promise<number> {
  const startMs = performance.now()
  await spans[Symbol.asyncDispose]()
  return performance.now() - startMs
}

test('spans are sent with their attributes and the configured headers', async () => {
  const bodies: string[] = []
  const keys: unknown[] = []
  using collector = await listen((request, response) => {
    keys.push(request.headers['x-key'])
    request.setEncoding('latin1')
    request.on('data', (part: string) => void bodies.push(part))
    request.on('end', () => response.end())
  })
  const { spans, warnings } = open(collector.url)
  spans.add(TRACE_ID, [span({ name: 'first step' }), span({ name: 'second step' })])
  await close(spans)
  const body = bodies.join('')
  for (const text of ['first step', 'second step', 'test.attribute', 'attribute-value'])
    assert.ok(body.includes(text), text)
  assert.ok(body.includes(Buffer.from(TRACE_ID, 'hex').toString('latin1')))
  assert.deepEqual([keys, spans.dropped(), warnings], [['key-of-the-collector'], 0, []])
})

test('an absent collector warns once, rejects nothing and delays no stop', async () => {
  const collector = await listen(() => {})
  collector.end()
  const { spans, warnings } = open(collector.url)
  const unhandled: unknown[] = []
  const note = (error: unknown) => void unhandled.push(error)
  process.on('unhandledRejection', note)
  // Two full batches start at once; the rest waits for the stop.
  for (let sent = 0; sent < 1_100; sent += 1) spans.add(TRACE_ID, [span()])
  const stoppedMs = await close(spans)
  await new Promise(setImmediate)
  process.removeListener('unhandledRejection', note)
  assert.deepEqual(unhandled, [])
  assert.ok(stoppedMs < STOP_MS, `${stoppedMs} ms`)
  assert.equal(spans.dropped(), 1_100)
  assert.deepEqual(
    warnings.map(({ message }) => message),
    ['trace spans dropped'],
  )
})

test('a collector that does not answer delays a stop by 2 s at most', async () => {
  using collector = await listen(() => {})
  const { spans } = open(collector.url)
  spans.add(TRACE_ID, [span()])
  const stoppedMs = await close(spans)
  assert.ok(stoppedMs < STOP_MS, `${stoppedMs} ms`)
  assert.equal(spans.dropped(), 1)
})

test('a full queue drops whole traces and counts their spans', async () => {
  using collector = await listen((request, response) => {
    request.resume().on('end', () => response.end())
  })
  const { spans, warnings } = open(collector.url)
  for (let added = 0; added < MANY; added += 1) spans.add(TRACE_ID, [span(), span()])
  const dropped = spans.dropped()
  assert.ok(dropped > MANY && dropped < 2 * MANY, String(dropped))
  assert.equal(dropped % 2, 0)
  assert.equal(warnings.length, 1)
  await close(spans)
  assert.equal(spans.dropped(), dropped)
})
