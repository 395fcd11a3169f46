import { pino } from 'pino'
import { loadConfigFromProcess, type Config } from '../config/load.ts'
import { checkBooks } from './check-books.ts'
import { guardMemory } from './guard-memory.ts'
import { stopOnSignal } from './stop-on-signal.ts'

type Running = { stop(): Promise<void> }

/** Runs API or worker until SIGTERM or SIGINT. */
export async function runProcess(serve: (config: Config) => Promise<Running>): Promise<void> {
  const config = loadConfigFromProcess()
  guardMemory(pino({ level: config.api.log_level, base: null }))
  await checkBooks(config)
  const running = await serve(config)
  await stopOnSignal(() => running.stop())
}
