import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { ProcessStatus } from '../contract/management/operator-system.ts'
import { jsonOption, type JsonOption } from './options.ts'
import { printTable, type Printable } from './print.ts'

/** Longer than a process waits for engines and sources that do not answer. */
const TIMEOUT_MS = 30_000
/** Of one question. A busy process is asked to reload too. */
const STATUS_TIMEOUT_MS = 5_000
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
  const config = loadConfigFromProcess('command')
  const wanted = fingerprintOf(config)
  const configured = configuredHealthUrls(config)
  const urls = new Set(options.process.length > 0 ? options.process : configured)
  const asked = (await Promise.all([...urls].map(readStatus))).filter((each) => each !== undefined)
  const signal = signalOnce()
  const rows = await Promise.all(asked.map((each) => reloadProcess(each, wanted, signal)))
  if (rows.length > 0 || options.json === true)
    printTable(['process', 'url', 'result'], rows, options)
  if (rows.length === 0) console.error('No process was found on this machine.')
  if (rows.length === 0 || rows.some(({ applied }) => !applied)) process.exitCode = 1
}

type Asked = { readonly url: string; readonly status: ProcessStatus }

async function readStatus(url: string): Promise<Asked | undefined> {
  const { Check } = await import('typebox/schema')
  const { readJsonPage } = await import('./processes/read-page.ts')
  const { ProcessStatus: Schema } = await import('../contract/management/operator-system.ts')
  const status = await readJsonPage(url, '/status', STATUS_TIMEOUT_MS)
  return Check(Schema, status) ? { url, status } : undefined
}

type Row = Printable & { readonly applied: boolean }

async function reloadProcess({ url, status }: Asked, wanted: string, signal: Signal): Promise<Row> {
  const row = (result: string, applied = false): Row => ({
    process: status.kind,
    url,
    result,
    applied,
  })
  if (status.pid === undefined) return row('its version cannot reload')
  const obstacle = signal(status.pid, status.kind)
  if (obstacle !== undefined) return row(obstacle)
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

/** Returns why the process was not signalled, or undefined if it was. */
type Signal = (pid: number, kind: string) => string | undefined

/** One process may have several health ports, as `headrace dev` has. It gets one signal. */
function signalOnce(): Signal {
  const signalled = new Set<number>()
  return (pid, kind) => {
    if (signalled.has(pid)) return undefined
    // Whoever answers at a port may name any process; only one of ours gets a signal.
    if (!isOurProcess(pid, kind)) return 'runs elsewhere: send it SIGHUP there'
    try {
      process.kill(pid, 'SIGHUP')
    } catch (error) {
      return `cannot be signalled (${(error as NodeJS.ErrnoException).code})`
    }
    signalled.add(pid)
    return undefined
  }
}

/** A command of Headrace of this kind with this id on this machine. */
function isOurProcess(pid: number, kind: string): boolean {
  const words = commandLine(pid)
  const program = words.findIndex((word) => /(^|\/)(headrace(\.js)?|main\.(ts|js))$/.test(word))
  return program > 0 && [kind, 'dev'].includes(words[program + 1] ?? '')
}

/** Empty if there is no such process. Systems without /proc have `ps`. */
function commandLine(pid: number): readonly string[] {
  try {
    if (existsSync('/proc/self')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const args = ['-ww', '-o', 'args=', '-p', `${pid}`]
    return execFileSync('ps', args, { encoding: 'utf8' }).trim().split(' ')
  } catch {
    return []
  }
}
