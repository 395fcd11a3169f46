import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { ProcessStatus } from '../contract/management/operator-system.ts'
import { jsonOption, type JsonOption } from './options.ts'
import { printTable, type Printable } from './print.ts'

/** Longer than a process waits for engines and sources that do not answer. */
const TIMEOUT_MS = 30_000
const POLL_MS = 100

type ReloadOptions = JsonOption & { readonly process: readonly string[] }

export function registerReload(program: Command): void {
  const collect = (value: string, values: readonly string[]) => [...values, value]
  program
    .command('reload')
    .description(
      'make the processes on this machine load the configuration again; exits 1 if one did not',
    )
    .option('--process <url>', 'health port of a process; may be repeated', collect, [])
    .addOption(jsonOption())
    .action(runReload)
}

async function runReload(options: ReloadOptions): Promise<void> {
  const { loadConfigFromProcess } = await import('../config/load.ts')
  const { fingerprintOf } = await import('../config/fingerprint.ts')
  const { configuredHealthUrls } = await import('./processes/health-urls.ts')
  // An invalid file is reported here, and no process is asked to load it.
  const config = loadConfigFromProcess()
  const wanted = fingerprintOf(config)
  const configured = configuredHealthUrls(config)
  const urls = new Set(options.process.length > 0 ? options.process : configured)
  const asked = (await Promise.all([...urls].map(readStatus))).filter((each) => each !== undefined)
  const rows = await Promise.all(asked.map((each) => reloadProcess(each, wanted)))
  printTable(['process', 'url', 'result'], rows, options)
  if (rows.length === 0) console.error('No process was found on this machine.')
  if (rows.length === 0 || rows.some(({ applied }) => !applied)) process.exitCode = 1
}

type Asked = { readonly url: string; readonly status: ProcessStatus }

async function readStatus(url: string): Promise<Asked | undefined> {
  const { Check } = await import('typebox/schema')
  const { readJsonPage } = await import('./processes/read-page.ts')
  const { ProcessStatus: Schema } = await import('../contract/management/operator-system.ts')
  const status = await readJsonPage(url, '/status')
  return Check(Schema, status) ? { url, status } : undefined
}

type Row = Printable & { readonly applied: boolean }

async function reloadProcess({ url, status }: Asked, wanted: string): Promise<Row> {
  const row = (result: string, applied = false): Row => ({
    process: status.kind,
    url,
    result,
    applied,
  })
  const { pid } = status
  if (pid === undefined) return row('its version cannot reload')
  // Whoever answers at a port may name any process; only one of ours gets a signal.
  if (!isOurProcess(pid, status.kind)) return row('runs elsewhere: send it SIGHUP there')
  try {
    process.kill(pid, 'SIGHUP')
  } catch (error) {
    return row(`cannot be signalled (${(error as NodeJS.ErrnoException).code})`)
  }
  const before = status.reload?.count ?? 0
  const deadlineMs = performance.now() + TIMEOUT_MS
  while (performance.now() < deadlineMs) {
    const now = (await readStatus(url))?.status
    if (now?.reload !== undefined && now.reload.count > before) {
      if (now.reload.result === 'rejected')
        return row(`rejected: ${now.reload.problems.join('; ')}`)
      return now.configuration === wanted
        ? row('applied', true)
        : row('applied a configuration that differs from the one here')
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return row('did not answer in time')
}

/** A command of Headrace of this kind with this id on this machine. */
function isOurProcess(pid: number, kind: string): boolean {
  try {
    const [, ...words] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const program = words.findIndex((word) => /(^|\/)(headrace(\.js)?|main\.(ts|js))$/.test(word))
    return program !== -1 && [kind, 'dev'].includes(words[program + 1] ?? '')
  } catch {
    return false
  }
}
