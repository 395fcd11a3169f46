import { Check as conforms } from 'typebox/schema'
import { EnginesReport, ProcessStatus } from '../../contract/management/operator-system.ts'
import { readJsonPage, readPage } from '../processes/read-page.ts'
import { parseMetrics, type Sample } from './parse-metrics.ts'

/** What the pages of a process say at one moment. */
export type ProcessSample = {
  readonly url: string
  readonly status: ProcessStatus
  readonly takenMs: number
  readonly metrics: readonly Sample[]
  /** Undefined if the process has no engines. */
  readonly report: EnginesReport | undefined
}

/** Undefined if no process of ours answers there. */
export async function sampleProcess(url: string): Promise<ProcessSample | undefined> {
  const status = await readJsonPage(url, '/status')
  if (!conforms(ProcessStatus, status)) return undefined
  const [page, engines] = await Promise.all([
    readPage(url, '/metrics'),
    status.kind === 'api' ? readJsonPage(url, '/engines') : undefined,
  ])
  const report = conforms(EnginesReport, engines) ? engines : undefined
  const metrics = page?.status === 200 ? parseMetrics(page.text) : []
  return { url, status, takenMs: performance.now(), metrics, report }
}
