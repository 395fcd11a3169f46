import type { Command } from 'commander'

/** The long-running processes. Each runs until it receives SIGTERM or SIGINT. */
export function registerServe(program: Command): void {
  program
    .command('api')
    .description('serve the inference API: chat completions and models')
    .action(runApi)
  program
    .command('worker')
    .description('post usage, close lost requests, reconcile, delete expired content')
    .action(runWorker)
  program
    .command('dev')
    .description('run everything on this machine, with a demo organization and key')
    .action(async () => (await import('../start/run-dev.ts')).runDev())
}

async function runApi(): Promise<void> {
  const { serveApi } = await import('../start/serve-api.ts')
  const { runProcess } = await import('../start/run-process.ts')
  await runProcess(serveApi)
}

async function runWorker(): Promise<void> {
  const { serveWorker } = await import('../start/serve-worker.ts')
  const { runProcess } = await import('../start/run-process.ts')
  await runProcess(serveWorker)
}
