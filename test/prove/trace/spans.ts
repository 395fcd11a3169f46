/** A span as a collector passes it on. */
export type Span = {
  readonly service: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly failed: boolean
  readonly durationMs: number
}

type Value = Readonly<Record<string, unknown>>
type Attribute = { readonly key: string; readonly value: Value }
type WireSpan = Pick<Span, 'traceId' | 'spanId' | 'name'> & {
  readonly parentSpanId?: string
  readonly attributes?: readonly Attribute[]
  readonly links?: Span['links']
  readonly status?: { readonly code?: number }
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}
type Export = {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[]
  }[]
}

const ERROR = 2

/** The spans of one export in OTLP's JSON. */
export function readSpans(json: string): Span[] {
  const { resourceSpans = [] } = JSON.parse(json) as Export
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(plain(resource.attributes)['service.name'])
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => toSpan(service, span)))
  })
}

function toSpan(service: string, span: WireSpan): Span {
  const { traceId, spanId, parentSpanId = '', name, links = [], status } = span
  const nanoseconds = BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)
  return {
    service,
    traceId,
    spanId,
    parentSpanId,
    name,
    attributes: plain(span.attributes ?? []),
    links: links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
    failed: status?.code === ERROR,
    durationMs: Number(nanoseconds) / 1e6,
  }
}

function plain(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]))
}

/** Numbers are strings on the wire. */
function plainValue(value: Value): unknown {
  if ('intValue' in value) return Number(value['intValue'])
  if ('arrayValue' in value) {
    const { values = [] } = value['arrayValue'] as { readonly values?: readonly Value[] }
    return values.map(plainValue)
  }
  return Object.values(value)[0]
}
