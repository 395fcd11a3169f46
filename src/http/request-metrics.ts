import type { ServerResponse } from 'node:http'
import { createMeter, type Meter, type MetricsPage } from '../lib/meter.ts'

/** Counts requests by status and by whether the response was completed. */
export type RequestMetrics = {
  readonly page: MetricsPage
  /** Adds a value from elsewhere to the page. */
  readonly watch: Meter['watch']
  count(response: ServerResponse): void
}

export function createRequestMetrics(): RequestMetrics {
  const { counter, watch, page } = createMeter()
  const requests = counter(
    'headrace_requests',
    'Requests by response status, and whether the response was completed.',
    'labelled',
  )
  return {
    page,
    watch,
    count(response) {
      const ended = response.writableEnded ? 'whole' : 'broken'
      requests.add(1, { status: response.statusCode, ended })
    },
  }
}
