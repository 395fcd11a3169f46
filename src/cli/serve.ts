import { Option, type Command } from 'commander'
import { OperatorError } from '../lib/operator-error.ts'
import { reloadOnSignal } from '../start/signals/reload-on-signal.ts'
import { parseCount, type JsonOption } from './options.ts'

const PROCESSES_MAX = 64

/** Registers the long-running processes. Each runs until SIGTERM or SIGINT. */
export function registerServe(program: Command): void {
  program
    .command('api')
    .description('run the inference API (chat completions and models)')
    .addOption(
      new Option(
        '--processes <count>',
        'number of processes on one port, or auto for one per CPU; they share the slots',
      ).argParser(parseProcesses),
    )
    .option('--reuse-port', 'share the port with other processes on this machine (SO_REUSEPORT)')
    .action(runApi)
  program
    .command('worker')
    .description(
      'run background jobs: post usage, close lost requests, reconcile, delete expired content',
    )
    .action(runWorker)
  program
    .command('console')
    .description('run the management API and the web console')
    .action(runConsole)
  program
    .command('dev')
    .description(
      'run API, worker and console on the development stack, with a demo organization and key',
    )
    .addOption(new Option('--json', 'log JSON lines, as the separate processes do'))
    .action(runDev)
}

/** The development stack is not in the npm package, whose modules are JavaScript. */
async function runDev({ json }: JsonOption): Promise<void> {
  const reloads = reloadOnSignal()
  if (!import.meta.url.endsWith('.ts'))
    throw new OperatorError('headrace dev needs a clone of the repository: run npm run dev there')
  await (await import('../start/dev/run-dev.ts')).runDev(reloads, { json: json === true })
}

type ApiOptions = { readonly processes?: number | 'auto'; readonly reusePort?: boolean }

async function runApi({ processes, reusePort = false }: ApiOptions): Promise<void> {
  const reloads = reloadOnSignal()
  if (processes !== undefined) {
    const { runProcesses } = await import('../start/run-processes.ts')
    process.exitCode = await runProcesses(processes, reloads)
    return
  }
  const { serveApi } = await import('../start/serve-api.ts')
  const { runProcess } = await import('../start/run-process.ts')
  await runProcess('api', (config) => serveApi(config, { reusePort }), reloads)
}

function parseProcesses(text: string): number | 'auto' {
  return text === 'auto' ? text : parseCount(text, 1, PROCESSES_MAX)
}

async function runConsole(): Promise<void> {
  const reloads = reloadOnSignal()
  const { serveConsole } = await import('../start/serve-console.ts')
  const { runProcess } = await import('../start/run-process.ts')
  await runProcess('console', serveConsole, reloads)
}

async function runWorker(): Promise<void> {
  const reloads = reloadOnSignal()
  const { serveWorker } = await import('../start/serve-worker.ts')
  const { runProcess } = await import('../start/run-process.ts')
  await runProcess('worker', serveWorker, reloads)
}
