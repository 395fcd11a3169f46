import type { ServerResponse } from 'node:http'
import { createMeter, type Meter, type MetricsPage } from '../lib/meter.ts'

/** Counts exchanges by how they ended, for operators. */
export type RequestMetrics = {
  readonly page: MetricsPage
  /** Shows what others know beside it. */
  readonly watch: Meter['watch']
  count(response: ServerResponse): void
}

export function createRequestMetrics(): RequestMetrics {
  const { counter, watch, page } = createMeter()
  const requests = counter(
    'headrace_requests',
    'Requests by the status of their answer, and whether it was sent to its end.',
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
