import type { Config } from '../config/load.ts'
import type { Tracing } from '../inference/tracing/trace-requests.ts'
import type { Log } from '../lib/log.ts'
import type { SpanExport } from '../lib/tracing/span-export.ts'
import { processStatus } from './process-status.ts'

export type OpenTracing = Tracing & { readonly spans: SpanExport }

/**
 * Undefined without a collector; then its libraries are not loaded either. `instance` is the id of
 * this process in usage records.
 */
export async function openTracing(
  config: Config,
  instance: string,
  log: Log,
): Promise<OpenTracing | undefined> {
  const { endpoint, sample_ratio: sampleRatio, slow_seconds: slowSeconds } = config.tracing
  if (endpoint === undefined) return undefined
  const { openSpanExport } = await import('../lib/tracing/span-export.ts')
  const resource = {
    'service.name': 'headrace',
    'service.version': processStatus('api', config).version,
    'service.instance.id': instance,
  }
  const headers = Object.fromEntries(config.tracing_headers.map(splitHeader))
  const spans = openSpanExport({ endpoint, headers, resource, log })
  return { sampleRatio, slowMs: slowSeconds * 1000, spans }
}

function splitHeader(header: string): [name: string, value: string] {
  const end = header.indexOf('=')
  return [header.slice(0, end), header.slice(end + 1)]
}
