// The spans of a request, with the names of OpenTelemetry's conventions for HTTP and generative AI.
// They say nothing of its content and not who sent it: a request id leads to both, for those who
// may see them.
import type { Call } from '../../http/call.ts'
import type { EndedSpan } from '../../lib/tracing/span-export.ts'
import { parseTraceparent, spanIdOf } from '../../lib/tracing/trace-context.ts'
import {
  ADMIT_SPAN,
  QUEUE_SPAN,
  SERVER_SPAN,
  type EngineCall,
  type RequestTrace,
} from './request-trace.ts'
import type { RequestEnd } from './trace-requests.ts'

type Attributes = EndedSpan['attributes']

const ROUTE = '/chat/completions'
/** For a call whose engine failed and that was repeated on another: why is in the log. */
const UNKNOWN_ERROR = '_OTHER'

/** The request itself, then its steps: `admit`, `queue` and a `chat` for each engine call. */
export function requestSpans(trace: RequestTrace, call: Call, end: RequestEnd): EndedSpan[] {
  const { traceId, startMs, admittedMs, calls } = trace
  const parentId = spanIdOf(traceId, SERVER_SPAN)
  const error = errorOf(end)
  const step = (number: number, name: string, from: number, to: number | undefined): EndedSpan => ({
    id: spanIdOf(traceId, number),
    parentId,
    name,
    kind: 'internal',
    startMs: from,
    endMs: to ?? end.endMs,
    attributes: to === undefined ? error : {},
    failed: to === undefined && isFailure(end),
  })
  const spans: EndedSpan[] = [
    {
      id: parentId,
      name: `POST ${ROUTE}`,
      kind: 'server',
      startMs,
      endMs: end.endMs,
      attributes: serverAttributes(trace, call, end),
      failed: isFailure(end),
      link: linkOf(call),
    },
    step(ADMIT_SPAN, 'admit', startMs, admittedMs),
  ]
  if (admittedMs !== undefined) spans.push(step(QUEUE_SPAN, 'queue', admittedMs, calls[0]?.sentMs))
  return [...spans, ...calls.map((each, index) => chatSpan(trace, each, calls[index + 1], end))]
}

function chatSpan(
  trace: RequestTrace,
  { spanId, target, outputTokensMax, sentMs }: EngineCall,
  next: EngineCall | undefined,
  end: RequestEnd,
): EndedSpan {
  const { record } = trace
  const model = record?.model ?? target.modelName
  const last = { ...usageAttributes(trace, sentMs), ...errorOf(end) }
  return {
    id: spanId,
    parentId: spanIdOf(trace.traceId, SERVER_SPAN),
    name: `chat ${model}`,
    kind: 'client',
    startMs: sentMs,
    endMs: next?.sentMs ?? trace.settledMs ?? end.endMs,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': target.kind,
      'gen_ai.request.model': model,
      'gen_ai.request.max_tokens': outputTokensMax,
      'gen_ai.response.model': target.modelName,
      'server.address': target.host,
      'server.port': target.port,
      'headrace.engine': target.name,
      ...(next === undefined ? last : { 'error.type': UNKNOWN_ERROR }),
    },
    failed: next !== undefined || isFailure(end),
  }
}

function usageAttributes(trace: RequestTrace, sentMs: number): Attributes {
  const { record, admittedMs, finishReason } = trace
  if (record === undefined || admittedMs === undefined) return {}
  const { basis, firstTokenMs } = record
  const firstMs = firstTokenMs === null ? undefined : admittedMs + firstTokenMs - sentMs
  return {
    ...(basis === 'none'
      ? {}
      : {
          'gen_ai.usage.input_tokens': record.promptTokens,
          'gen_ai.usage.cache_read.input_tokens': record.cachedTokens,
          'gen_ai.usage.output_tokens': record.completionTokens,
          'gen_ai.usage.reasoning.output_tokens': record.reasoningTokens,
        }),
    ...(firstMs === undefined
      ? {}
      : { 'gen_ai.response.time_to_first_chunk': Math.max(0, firstMs) / 1000 }),
    ...(finishReason === undefined ? {} : { 'gen_ai.response.finish_reasons': [finishReason] }),
  }
}

function serverAttributes({ record }: RequestTrace, call: Call, end: RequestEnd): Attributes {
  const { response } = call
  const { error, isAbandoned } = end
  const status = error === undefined || response.headersSent ? response.statusCode : error.status
  const refused = error === undefined ? 'completed' : 'refused'
  return {
    'http.request.method': 'POST',
    'http.route': ROUTE,
    'headrace.request_id': call.id,
    'headrace.outcome': record?.outcome ?? (isAbandoned ? 'abandoned' : refused),
    // A client that left before the response saw no status.
    ...(isAbandoned && !response.headersSent ? {} : { 'http.response.status_code': status }),
    ...errorOf(end),
  }
}

/** The code of the error, which is one of ours and never quotes a client. */
function errorOf({ error }: RequestEnd): Attributes {
  return error === undefined ? {} : { 'error.type': error.kind }
}

/** An error of the client is no failure of the service. */
function isFailure({ error }: RequestEnd): boolean {
  return error !== undefined && error.status >= 500
}

/** The client's own span: it does not decide our ids or what we keep, so it is no parent. */
function linkOf({ request }: Call) {
  const { traceparent } = request.headers
  return typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined
}
