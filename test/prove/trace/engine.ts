import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { chunk, ending, ROLE } from '../../harness/fake-engine/events.ts'
import {
  begin,
  startFakeEngine,
  type Asked,
  type FakeEngine,
} from '../../harness/fake-engine/server.ts'

/** An engine that traces as vLLM does: a child of what it is sent, if that was sampled. */
export type TracingEngine = FakeEngine & {
  /** The `traceparent` of every generation. */
  readonly seen: readonly (string | undefined)[]
}

/** What a request can ask of the engine, in its first message. */
export const SLOW = 'slow'
export const BROKEN = 'broken'

export const COUNTS = { prompt: 21, cached: 13, completion: 5 }
/** Longer than the proof calls slow. */
export const SLOW_MS = 700

/** `word` is part of every answer. */
export async function startTracingEngine(word: string, collector: string): Promise<TracingEngine> {
  const seen: (string | undefined)[] = []
  const answer = async ({ body, headers, response }: Asked) => {
    const traceparent = headers['traceparent']
    const parent = typeof traceparent === 'string' ? traceparent : undefined
    seen.push(parent)
    const startNs = nowNs()
    const asked = JSON.stringify(body['messages'])
    if (asked.includes(BROKEN)) return void response.writeHead(500).end()
    // time is under test: a slow first token is traced in any case.
    if (asked.includes(SLOW)) await pause(SLOW_MS)
    const text = chunk({ content: `${word} ` }).repeat(COUNTS.completion)
    begin(response).end(ROLE + text + ending(COUNTS))
    await exportSpan(collector, parent, startNs)
  }
  const engine = await startFakeEngine(answer)
  return Object.assign(engine, { seen })
}

async function exportSpan(collector: string, parent: string | undefined, startNs: bigint) {
  const [, traceId, parentSpanId, flags] = parent?.split('-') ?? []
  if (flags !== '01') return
  const span = {
    traceId,
    parentSpanId,
    spanId: randomBytes(8).toString('hex'),
    name: 'llm_request',
    kind: 2,
    startTimeUnixNano: String(startNs),
    endTimeUnixNano: String(nowNs()),
  }
  const attributes = [{ key: 'service.name', value: { stringValue: 'engine' } }]
  const exported = {
    resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans: [span] }] }],
  }
  const headers = { 'content-type': 'application/json' }
  await fetch(collector, { method: 'POST', headers, body: JSON.stringify(exported) })
}

function nowNs(): bigint {
  return BigInt(Date.now()) * 1_000_000n
}
