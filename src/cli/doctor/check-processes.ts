import { Check as conforms } from 'typebox/schema'
import { fingerprintOf } from '../../config/fingerprint.ts'
import type { Config } from '../../config/load.ts'
import { EnginesReport, ProcessStatus } from '../../contract/management/operator-system.ts'
import { configuredHealthUrls } from '../processes/health-urls.ts'
import { askForPage, readJson, readJsonPage, readPage } from '../processes/read-page.ts'
import {
  failed,
  notChecked,
  ok,
  resultOf,
  runChecks,
  warning,
  type Check,
  type Result,
  type Time,
} from './run-checks.ts'

/** What a process says at its health port. */
export type ProcessReport = {
  readonly url: string
  readonly status: ProcessStatus
  readonly ready: boolean
  readonly engines: EnginesReport['engines'] | undefined
}

export type FoundProcesses = {
  readonly reports: readonly ProcessReport[]
  /** Those of `console.api_health_urls` where no process of Headrace is. */
  readonly absent: readonly string[]
  /** Those that accept connections, but did not answer in time. */
  readonly late: readonly string[]
}

/** Asks those that the configuration names, and the usual ports of this machine. */
export async function findProcesses(config: Config, timeoutMs: number): Promise<FoundProcesses> {
  const named = config.console.api_health_urls
  const urls = configuredHealthUrls(config)
  const answers = await Promise.all(urls.map((url) => askProcess(url, timeoutMs)))
  const where = (answer: 'late' | undefined) => urls.filter((_, at) => answers[at] === answer)
  return {
    reports: answers.filter((answer) => typeof answer === 'object'),
    absent: where(undefined).filter((url) => named.includes(url)),
    late: where('late'),
  }
}

/** Undefined if no process of Headrace is there. */
async function askProcess(
  url: string,
  timeoutMs: number,
): Promise<ProcessReport | 'late' | undefined> {
  const page = await askForPage(url, '/status', timeoutMs)
  if (page === 'late') return page
  const status = readJson(page)
  // Other programs may listen on the usual ports.
  if (!conforms(ProcessStatus, status)) return undefined
  const [ready, engines] = await Promise.all([
    readPage(url, '/readyz', timeoutMs),
    status.kind === 'api' ? readJsonPage(url, '/engines', timeoutMs) : undefined,
  ])
  return {
    url,
    status,
    ready: ready?.status === 200,
    engines: conforms(EnginesReport, engines) ? engines.engines : undefined,
  }
}

export async function checkProcesses(
  config: Config,
  version: string,
  { reports, absent, late }: FoundProcesses,
  time: Time,
): Promise<Result[]> {
  const silent = (url: string, found: string, hint: string) =>
    resultOf({ group: 'processes', of: url }, 'ready', failed(found, hint))
  const start = 'Start it, or correct console.api_health_urls.'
  const busy = 'Read its log. If the machine is busy, raise --timeout.'
  const results: Result[] = [
    ...absent.map((url) => silent(url, 'does not answer', start)),
    ...late.map((url) => silent(url, 'does not answer in time', busy)),
  ]
  const fingerprint = fingerprintOf(config)
  for (const report of reports) {
    const place = { group: 'processes', of: `${report.status.kind} ${report.url}` } as const
    results.push(...(await runChecks(place, { report, fingerprint, version }, CHECKS, time)))
  }
  if (results.length > 0) return results
  const hint = 'Start them, or name their health ports in console.api_health_urls.'
  return [resultOf({ group: 'processes' }, 'ready', notChecked('none found here', hint))]
}

type Subject = {
  readonly report: ProcessReport
  readonly fingerprint: string
  readonly version: string
}

const RELOAD = 'Run headrace reload there: it names the settings that need a restart.'

const CHECKS: readonly Check<Subject>[] = [
  {
    name: 'ready',
    run: ({ report }) =>
      report.ready
        ? ok('yes')
        : failed('no', 'Read its page /readyz and its log: a store may be unreachable for it.'),
  },
  {
    name: 'settings',
    run: ({ report, fingerprint }) =>
      report.status.configuration === fingerprint
        ? ok('as here')
        : warning('differ from the configuration here', RELOAD),
  },
  {
    name: 'version',
    run: ({ report, version }) =>
      report.status.version === version
        ? ok(version)
        : warning(`${report.status.version}, here is ${version}`, 'Finish the upgrade.'),
  },
]
