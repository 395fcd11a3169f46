import type { ServerResponse } from 'node:http'
import { createMeter, type MetricsPage } from '../lib/meter.ts'

/** Counts exchanges by how they ended, for operators. */
export type RequestMetrics = {
  readonly page: MetricsPage
  count(response: ServerResponse): void
}

export function createRequestMetrics(): RequestMetrics {
  const { counter, page } = createMeter()
  const requests = counter(
    'headrace_requests',
    'Requests by the status of their answer, and whether it was sent to its end.',
    'labelled',
  )
  return {
    page,
    count(response) {
      const ended = response.writableEnded ? 'whole' : 'broken'
      requests.add(1, { status: response.statusCode, ended })
    },
  }
}
