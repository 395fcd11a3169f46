import type { Command } from 'commander'

export function registerApi(program: Command): void {
  program
    .command('api')
    .description('serve the inference API: chat completions and models')
    .action(runApi)
}

/** Serves until it is told to stop; then what runs may finish. */
async function runApi(): Promise<void> {
  const { loadConfigFromProcess } = await import('../config/load.ts')
  const { pino } = await import('pino')
  const { guardMemory } = await import('../start/guard-memory.ts')
  const { serveApi } = await import('../start/serve-api.ts')
  const { stopOnSignal } = await import('../start/stop-on-signal.ts')
  const config = loadConfigFromProcess()
  guardMemory(pino({ level: config.api.log_level, base: null }))
  const api = await serveApi(config)
  await stopOnSignal(() => api.stop())
}
