// The settings of tracing.
import { Type } from 'typebox'
import { SECONDS_MAX, list, mapping, number, text } from './schema-nodes.ts'

const isPlainUrl = (value: string) => URL.canParse(value) && !/[@?#]/.test(value)

const endpoint = text('https?://\\S+', 2048, 'an http or https URL without credentials or query', {
  description:
    "URL of a collector's OTLP/HTTP receiver of traces, such as " +
    '`http://127.0.0.1:4318/v1/traces`. Without it nothing is traced.',
})

const link = text(
  'https?://[^\\s{]*\\{trace_id\\}[^\\s{]*',
  2048,
  'an http or https URL with {trace_id}',
  {
    description: 'URL of a trace, with `{trace_id}`. The console shows it to operators.',
  },
)

export const Tracing = mapping(
  {
    endpoint: Type.Optional(Type.Refine(endpoint, isPlainUrl)),
    sample_ratio: number(
      0,
      1,
      0.01,
      'Share of requests that are traced. Those that fail with 5xx or are slow always are.',
    ),
    slow_seconds: number(
      0.001,
      SECONDS_MAX,
      10,
      'A request is slow if its first token takes longer than this.',
    ),
    link: Type.Optional(link),
  },
  'Traces of requests, sent to an OpenTelemetry collector.',
  {},
)

const HEADERS = 'headers as name=value, separated by commas'

export const TracingHeaders = list(
  text("[A-Za-z0-9!#$%&'*+.^_`|~-]+=[\\x20-\\x2b\\x2d-\\x7e]+", 4096, HEADERS, { secret: 'text' }),
  HEADERS,
  {
    description: 'Headers of requests to the collector of traces, such as an API key.',
    environment: 'HEADRACE_TRACING_HEADERS',
    example: 'authorization=Bearer change-me',
    default: [],
  },
)
