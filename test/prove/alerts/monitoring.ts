import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { chooseFreePort } from '../../../stack/ports.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { speedUp } from './speed-up.ts'
import { killAtExit } from '../../harness/processes/kill-at-exit.ts'

export type Tools = {
  readonly prometheus: string
  readonly promtool: string
  readonly alertmanager: string
  readonly amtool: string
}

/** Prometheus and Alertmanager with the rules of deploy/monitoring, faster by SPEED. */
export type Monitoring = AsyncDisposable & {
  /** The answer of Prometheus' API below /api/v1. */
  readonly ask: <Data>(path: string) => Promise<Data>
}

export const FOLDER = new URL('../../../deploy/monitoring/', import.meta.url)
/** Below the ports of test/harness/engines/real-engine.ts. */
const PORT_FIRST = 26_000
const PORTS = 1_900
const START_TIMEOUT_MS = 30_000

type Targets = Readonly<Record<string, string>>

/** `targets` are the addresses of the processes by job; others are not scraped. */
export async function startMonitoring(
  tools: Tools,
  targets: Targets,
  webhookUrl: string,
): Promise<Monitoring> {
  await using starting = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'headrace-monitoring-'))
  starting.defer(() => rm(folder, { recursive: true, force: true }))
  const [port, alertsPort] = await choosePorts()
  await writeFile(join(folder, 'headrace.rules.yaml'), speedUp(await read('headrace.rules.yaml')))
  const alertmanager = join(folder, 'alertmanager.yaml')
  await writeFile(alertmanager, await alertmanagerConfiguration(webhookUrl))
  await run(tools.amtool, ['check-config', alertmanager])
  const prometheus = join(folder, 'prometheus.yaml')
  await writeFile(prometheus, await prometheusConfiguration(targets, `127.0.0.1:${alertsPort}`))
  await run(tools.promtool, ['check', 'config', prometheus])
  const url = `http://127.0.0.1:${port}`
  const alertsUrl = `http://127.0.0.1:${alertsPort}`
  starting.use(
    await startServer(tools.alertmanager, `${alertsUrl}/-/ready`, [
      `--config.file=${alertmanager}`,
      `--storage.path=${join(folder, 'alerts')}`,
      `--web.listen-address=127.0.0.1:${alertsPort}`,
      '--cluster.listen-address=',
    ]),
  )
  starting.use(
    await startServer(tools.prometheus, `${url}/-/ready`, [
      `--config.file=${prometheus}`,
      `--storage.tsdb.path=${join(folder, 'series')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]),
  )
  const running = starting.move()
  return {
    async ask<Data>(path: string) {
      const response = await fetch(`${url}/api/v1/${path}`)
      const answer = (await response.json()) as { data: Data; error?: string }
      if (answer.error !== undefined) throw new Error(answer.error)
      return answer.data
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Runs a tool to its end. Returns what it printed, and throws that if it failed. */
export async function run(command: string, options: readonly string[]): Promise<string> {
  const child = spawn(command, options, { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`${options.join(' ')} failed: ${printed}`)
  return printed
}

async function read(name: string): Promise<string> {
  return readFile(new URL(name, FOLDER), 'utf8')
}

async function choosePorts(): Promise<readonly [number, number]> {
  const first = await chooseFreePort(PORT_FIRST + Math.floor(Math.random() * PORTS))
  return [first, await chooseFreePort(first + 1)]
}

type ScrapeConfiguration = { job_name: string; static_configs: { targets: string[] }[] }

/** The shipped file with the addresses of this run. */
async function prometheusConfiguration(targets: Targets, alertmanager: string): Promise<string> {
  const shipped = parse(speedUp(await read('prometheus.yaml'))) as {
    scrape_configs: ScrapeConfiguration[]
    alerting: { alertmanagers: object[] }
  }
  const jobs = shipped.scrape_configs.filter((job) => targets[job.job_name] !== undefined)
  for (const job of jobs) job.static_configs = [{ targets: [targets[job.job_name] ?? ''] }]
  shipped.alerting.alertmanagers = [{ static_configs: [{ targets: [alertmanager] }] }]
  return stringify({ ...shipped, scrape_configs: jobs })
}

/** The shipped file with the address of the webhook. */
async function alertmanagerConfiguration(webhookUrl: string): Promise<string> {
  const shipped = speedUp(await read('alertmanager.yaml'))
  return shipped.replaceAll(/http:\/\/127\.0\.0\.1:9094/g, webhookUrl)
}

async function startServer(
  command: string,
  readyUrl: string,
  options: readonly string[],
): Promise<AsyncDisposable> {
  let printed = ''
  const child = spawn(command, options, { stdio: ['ignore', 'ignore', 'pipe'] })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text))
  killAtExit(child)
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(`${command} ended: ${printed}`)
    return fetch(readyUrl).then(
      ({ ok }) => ok,
      () => false,
    )
  }
  await waitUntil(`${command} to be ready`, isReady, START_TIMEOUT_MS, { seen: () => printed })
  return {
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
