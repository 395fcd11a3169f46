import { SpanKind, SpanStatusCode, TraceFlags, type HrTime, type Link } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes, type Resource } from '@opentelemetry/resources'
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace'
import { traceError, type Log } from '../log.ts'
import type { SpanReference } from './trace-context.ts'

/** One span that has ended. Times are in milliseconds by `performance.now()`. */
export type EndedSpan = {
  readonly id: string
  readonly parentId?: string | undefined
  readonly name: string
  readonly kind: 'server' | 'client' | 'internal'
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Readonly<Record<string, string | number | string[]>>
  /** Whether it failed; `attributes` say why. */
  readonly failed: boolean
  readonly link?: SpanReference | undefined
}

/** Sends spans to a collector in the background. Disposal sends the rest. */
export type SpanExport = AsyncDisposable & {
  /** Never waits, never throws. */
  add(traceId: string, spans: readonly EndedSpan[]): void
  /** Spans that were not delivered: the queue was full, or the collector did not take them. */
  dropped(): number
}

export type SpanExportOptions = {
  /** URL of an OTLP/HTTP receiver of traces. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly resource: Readonly<Record<string, string>>
  readonly log: Log
}

/** Spans that wait; about 2 MB. Beyond it spans are dropped, so that no request waits. */
const QUEUE_SPANS_MAX = 4_096
const BATCH_SPANS_MAX = 512
const BATCH_INTERVAL_MS = 1_000
/**
 * For one batch with its retries. A stop waits for the last batches, which are sent at once, so
 * this also bounds how long a collector that does not answer delays a stop.
 */
const EXPORT_TIMEOUT_MS = 1_500
const WARNING_INTERVAL_MS = 60_000
/** `ExportResultCode.SUCCESS` of the SDK. */
const EXPORTED = 0

export function openSpanExport(options: SpanExportOptions): SpanExport {
  const resource = resourceFromAttributes({ ...options.resource })
  let [queued, dropped] = [0, 0]
  const warn = createWarning(options.log)
  const drop = (count: number, cause?: unknown) => {
    dropped += count
    warn(count, cause)
  }
  const exporter = openExporter(options)
  const processor = new BatchSpanProcessor({
    exporter: {
      export(spans, done) {
        queued -= spans.length
        exporter.export(spans, (result) => {
          const code: number = result.code
          if (code !== EXPORTED) drop(spans.length, result.error)
          done(result)
        })
      },
      shutdown: () => exporter.shutdown(),
    },
    maxQueueSize: QUEUE_SPANS_MAX,
    maxExportBatchSize: BATCH_SPANS_MAX,
    scheduledDelayMillis: BATCH_INTERVAL_MS,
    exportTimeoutMillis: EXPORT_TIMEOUT_MS,
  })
  return {
    add(traceId, spans) {
      // A trace is dropped as a whole: half a trace misleads.
      if (queued + spans.length > QUEUE_SPANS_MAX) return drop(spans.length)
      queued += spans.length
      for (const span of spans) processor.onEnd(toReadable(traceId, span, resource))
    },
    dropped: () => dropped,
    async [Symbol.asyncDispose]() {
      // Rejects as soon as the collector did not take one of the last batches; `drop` counts them.
      await processor.shutdown().catch(() => undefined)
      await exporter.shutdown()
    },
  }
}

function openExporter({ endpoint, headers }: SpanExportOptions): SpanExporter {
  return new OTLPTraceExporter({
    url: endpoint,
    headers: { ...headers },
    timeoutMillis: EXPORT_TIMEOUT_MS,
    // Of the socket: the timeout above starts only when it is connected.
    httpAgentOptions: { keepAlive: true, timeout: EXPORT_TIMEOUT_MS },
  })
}

/** One line for all that was dropped since the last one. */
function createWarning(log: Log): (count: number, cause: unknown) => void {
  let unreported = 0
  let nextMs = 0
  return (count, cause) => {
    unreported += count
    const nowMs = performance.now()
    if (nowMs < nextMs) return
    nextMs = nowMs + WARNING_INTERVAL_MS
    const error = traceError(cause ?? new RangeError('the queue of spans is full'))
    log.warn({ count: unreported, error }, 'trace spans dropped')
    unreported = 0
  }
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const

function toReadable(traceId: string, span: EndedSpan, resource: Resource): ReadableSpan {
  // Taken now: over weeks the two clocks drift apart.
  const originMs = Date.now() - performance.now()
  const contextOf = (spanId: string) => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED })
  const { id, parentId, startMs, endMs, link, failed } = span
  const context = contextOf(id)
  return {
    name: span.name,
    kind: KINDS[span.kind],
    spanContext: () => context,
    ...(parentId === undefined ? {} : { parentSpanContext: contextOf(parentId) }),
    startTime: toHrTime(originMs + startMs),
    endTime: toHrTime(originMs + endMs),
    duration: toHrTime(endMs - startMs),
    status: { code: failed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: span.attributes,
    links: link === undefined ? [] : [toLink(link)],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: 'headrace' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

function toLink(reference: SpanReference): Link {
  return { context: { ...reference, traceFlags: TraceFlags.NONE, isRemote: true } }
}

function toHrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)]
}
