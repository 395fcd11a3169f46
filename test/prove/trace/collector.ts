import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stackFolder } from '../../../stack/state.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { chooseFreePort } from '../../../stack/ports.ts'
import { readSpans, type Span } from './spans.ts'

const BUILD = new URL('build-collector.sh', import.meta.url).pathname
const PROGRAM = join(stackFolder, 'collector')
const START_MS = 30_000
const FIRST_PORT = 24_318
/** What the script exits with where there is no Go. */
export const NOT_POSSIBLE = 3

/** A real collector that passes everything on to this process. */
export type Collector = AsyncDisposable & {
  /** For spans. */
  readonly url: string
  /** All that it passed on. */
  spans(): readonly Span[]
  /** As it came, for a search in every byte. */
  readonly received: readonly string[]
  stop(): Promise<void>
}

/** Builds the program if it is missing. Exits with 3 where that is not possible. */
export function buildCollector(): void {
  const { status } = spawnSync('sh', [BUILD], { stdio: 'inherit' })
  if (status === NOT_POSSIBLE) process.exit(NOT_POSSIBLE)
  if (status !== 0) throw new Error('the collector was not built')
}

export async function startCollector(): Promise<Collector> {
  const received: string[] = []
  const receiver = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (part: string) => (body += part))
    request.on('end', () => {
      received.push(body)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  const folder = await mkdtemp(join(tmpdir(), 'headrace-collector-'))
  const file = join(folder, 'collector.yaml')
  const address = `127.0.0.1:${await chooseFreePort(FIRST_PORT)}`
  const { port } = receiver.address() as AddressInfo
  await writeFile(file, JSON.stringify(settingsOf(address, port)))
  const child = spawn(PROGRAM, ['--config', file], { stdio: ['ignore', 'ignore', 'inherit'] })
  const exited = once(child, 'exit')
  const url = `http://${address}/v1/traces`
  const answers = () => fetch(url, { method: 'POST', body: '{}', headers: JSON_TYPE })
  const hasStarted = () => answers().then(isOk, () => false)
  await waitUntil('the collector to start', hasStarted, START_MS)
  const stop = async () => {
    child.kill('SIGKILL')
    await exited
  }
  return {
    url,
    spans: () => received.flatMap(readSpans),
    received,
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
      receiver.closeAllConnections()
      receiver.close()
      await rm(folder, { recursive: true })
    },
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

function isOk({ ok }: Response): boolean {
  return ok
}

/** JSON is YAML. Nothing is queued, so what was received is passed on at once or not at all. */
function settingsOf(address: string, port: number): object {
  const exporter = {
    endpoint: `http://127.0.0.1:${port}`,
    encoding: 'json',
    compression: 'none',
    sending_queue: { enabled: false },
    retry_on_failure: { enabled: false },
  }
  return {
    receivers: { otlp: { protocols: { http: { endpoint: address } } } },
    exporters: { otlphttp: exporter },
    service: {
      telemetry: { metrics: { level: 'none' }, logs: { level: 'error' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['otlphttp'] } },
    },
  }
}
