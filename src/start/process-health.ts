import type { Server } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import type { Traffic } from '../contract/management/operator-system.ts'
import { createHealthServer, type Readiness } from '../http/health.ts'
import type { Meter } from '../lib/meter.ts'
import type { Configuration } from './configuration.ts'

/** Shorter than the timeout of a scrape: the other metrics matter most while a server hangs. */
const READY_TIMEOUT_MS = 2_000

/** Several readers of the page must not shorten the interval of each other to nothing. */
const BUSY_INTERVAL_MS = 5_000

export type ProcessHealth = {
  readonly meter: Meter
  readonly ready: () => Promise<Readiness>
  readonly engines?: () => object
  /** What the process has done since it started. */
  readonly traffic?: () => Traffic
}

/** The health port of a process, whose page has the metrics that every process has as well. */
export function createProcessHealth(
  configuration: Configuration,
  { meter, ready, engines, traffic }: ProcessHealth,
): Server {
  addProcessMetrics(meter, ready, configuration)
  const status = () => ({
    ...configuration.status,
    ...(traffic !== undefined && { traffic: traffic() }),
  })
  return createHealthServer(ready, engines, meter.page, status)
}

function addProcessMetrics(
  meter: Meter,
  ready: () => Promise<Readiness>,
  configuration: Configuration,
): void {
  meter.watch('headrace_ready', '1 while /readyz answers 200, else 0.', async () =>
    (await isReady(ready)) ? 1 : 0,
  )
  const description = 'Always 1; the label is the fingerprint of the configuration in use.'
  meter.watchBy('hash', 'headrace_config_info', description, () => ({
    [configuration.status.configuration]: 1,
  }))
  meter.watch(
    'headrace_event_loop_busy_ratio',
    'Share of time in which the event loop ran code, since the last reading.',
    createBusyRatio(),
  )
}

async function isReady(ready: () => Promise<Readiness>): Promise<boolean> {
  const answered = new AbortController()
  const timeout = pause(READY_TIMEOUT_MS, false, { signal: answered.signal }).catch(() => false)
  const checked = ready().then(
    (checks) => Object.values(checks).every(Boolean),
    () => false,
  )
  const result = await Promise.race([checked, timeout])
  answered.abort()
  return result
}

function createBusyRatio(): () => number {
  let since = performance.eventLoopUtilization()
  let sinceMs = performance.now()
  let ratio = 0
  return () => {
    const nowMs = performance.now()
    const now = performance.eventLoopUtilization()
    if (nowMs - sinceMs >= BUSY_INTERVAL_MS || ratio === 0) {
      ratio = performance.eventLoopUtilization(now, since).utilization
      since = now
      sinceMs = nowMs
    }
    return ratio
  }
}
