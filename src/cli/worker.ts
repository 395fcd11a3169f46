import type { Command } from 'commander'

export function registerWorker(program: Command): void {
  program
    .command('worker')
    .description('post usage to the ledger, close what was lost, end what was kept long enough')
    .action(runWorker)
}

/** Works until it is told to stop. */
async function runWorker(): Promise<void> {
  const { loadConfigFromProcess } = await import('../config/load.ts')
  const { pino } = await import('pino')
  const { guardMemory } = await import('../start/guard-memory.ts')
  const { serveWorker } = await import('../start/serve-worker.ts')
  const { stopOnSignal } = await import('../start/stop-on-signal.ts')
  const config = loadConfigFromProcess()
  guardMemory(pino({ level: config.api.log_level, base: null }))
  const worker = await serveWorker(config)
  await stopOnSignal(() => worker.stop())
}
