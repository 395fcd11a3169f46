import { Option, type Command } from 'commander'
import { OperatorError } from '../lib/operator-error.ts'
import { parseCount } from './options.ts'

const PROCESSES_MAX = 64

/** Registers the long-running processes. Each runs until SIGTERM or SIGINT. */
export function registerServe(program: Command): void {
  program
    .command('api')
    .description('run the inference API (chat completions and models)')
    .addOption(
      new Option(
        '--processes <count>',
        'run so many processes on one port, or auto for one per CPU; they share the slots',
      ).argParser(parseProcesses),
    )
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
    .action(runDev)
}

/** The development stack is not in the npm package, whose modules are JavaScript. */
async function runDev(): Promise<void> {
  if (!import.meta.url.endsWith('.ts'))
    throw new OperatorError('headrace dev needs a clone of the repository: run npm run dev there')
  await (await import('../start/run-dev.ts')).runDev()
}

type ApiOptions = { readonly processes?: number | 'auto' }

async function runApi({ processes }: ApiOptions): Promise<void> {
  if (processes !== undefined) {
    const { runProcesses } = await import('../start/run-processes.ts')
    process.exitCode = await runProcesses(processes)
    return
  }
  const { serveApi } = await import('../start/serve-api.ts')
  const { runProcess } = await import('../start/run-process.ts')
  await runProcess(serveApi)
}

function parseProcesses(text: string): number | 'auto' {
  return text === 'auto' ? text : parseCount(text, 1, PROCESSES_MAX)
}

async function runConsole(): Promise<void> {
  const { serveConsole } = await import('../start/serve-console.ts')
  const { runProcess } = await import('../start/run-process.ts')
  await runProcess(serveConsole)
}

async function runWorker(): Promise<void> {
  const { serveWorker } = await import('../start/serve-worker.ts')
  const { runProcess } = await import('../start/run-process.ts')
  await runProcess(serveWorker)
}
