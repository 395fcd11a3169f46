import type { ApiError } from '../../contract/error.ts'
import { clientIsGone, type Call } from '../../http/call.ts'
import { toApiError } from '../../http/errors.ts'
import type { SpanExport } from '../../lib/tracing/span-export.ts'
import { requestSpans } from './request-spans.ts'
import { RequestTrace } from './request-trace.ts'

export type Tracing = {
  /** The share of requests that is chosen by id, from 0 to 1. */
  readonly sampleRatio: number
  /** A request whose first token takes longer is traced in any case. */
  readonly slowMs: number
  readonly spans: Pick<SpanExport, 'add'>
}

/** How a request ended; `error` is undefined if the client was answered, or left. */
export type RequestEnd = {
  readonly endMs: number
  readonly error: ApiError | undefined
  readonly isAbandoned: boolean
}

/** Runs a request, and traces it if it was sampled, failed by our fault, or was slow. */
export function traceRequest(
  call: Call,
  tracing: Tracing | undefined,
  run: (trace?: RequestTrace) => Promise<void>,
): Promise<void> {
  return tracing === undefined ? run() : runTraced(call, tracing, run)
}

async function runTraced(
  call: Call,
  tracing: Tracing,
  run: (trace: RequestTrace) => Promise<void>,
): Promise<void> {
  const trace = new RequestTrace(call.id, tracing.sampleRatio)
  const end = (thrown?: { readonly error: unknown }) => {
    const isAbandoned = clientIsGone(call)
    const error = thrown === undefined || isAbandoned ? undefined : toApiError(thrown.error)
    const ended = { endMs: performance.now(), error, isAbandoned }
    if (isKept(trace, ended, tracing.slowMs))
      tracing.spans.add(trace.traceId, requestSpans(trace, call, ended))
  }
  try {
    await run(trace)
    end()
  } catch (error) {
    end({ error })
    throw error
  }
}

function isKept(trace: RequestTrace, { error, endMs }: RequestEnd, slowMs: number): boolean {
  if (trace.sampled || (error !== undefined && error.status >= 500)) return true
  const { startMs, admittedMs, record } = trace
  const pieceMs = record?.firstTokenMs ?? undefined
  const isFirst = admittedMs !== undefined && pieceMs !== undefined
  return (isFirst ? admittedMs + pieceMs : endMs) - startMs > slowMs
}
