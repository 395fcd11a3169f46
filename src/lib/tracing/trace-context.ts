// Trace ids and the `traceparent` header of W3C Trace Context. Every id follows from the id of the
// request, so nothing about a trace is stored.

/**
 * The trace of a request has the request's id: the last 7 bytes of a UUID version 7 are random, as
 * the recommendation asks of a trace id.
 */
export function traceIdOf(requestId: string): string {
  return requestId.replaceAll('-', '').toLowerCase()
}

/** Replaces the placeholder in a link to a trace. */
export function traceLink(template: string, requestId: string): string {
  return template.replaceAll('{trace_id}', traceIdOf(requestId))
}

/** The id of a span of the trace, by its number from 1 to 9. Different in every trace. */
export function spanIdOf(traceId: string, number: number): string {
  return `${number}${traceId.slice(17)}`
}

const SAMPLING_DIGITS = 13
const SAMPLING_RANGE = 16 ** SAMPLING_DIGITS

/** Whether the trace belongs to the sampled share, decided by its random bits alone. */
export function isSampled(traceId: string, ratio: number): boolean {
  const random = Number.parseInt(traceId.slice(-SAMPLING_DIGITS), 16)
  return random >= (1 - ratio) * SAMPLING_RANGE
}

export function renderTraceparent(traceId: string, spanId: string, sampled: boolean): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}

export type SpanReference = { readonly traceId: string; readonly spanId: string }

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/

/** Undefined if it is not a valid header of version 00. */
export function parseTraceparent(header: string): SpanReference | undefined {
  const [, traceId, spanId] = TRACEPARENT.exec(header) ?? []
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId }
}
