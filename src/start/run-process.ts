import { pino } from 'pino'
import { loadConfigFromProcess, type Config } from '../config/load.ts'
import { checkBooks } from './check-books.ts'
import { guardMemory } from './guard-memory.ts'
import { stopOnSignal } from './stop-on-signal.ts'

type Running = { reload(load: () => Config): Promise<void>; stop(): Promise<void> }

/** Runs a process until SIGTERM or SIGINT. SIGHUP makes it load its configuration again. */
export async function runProcess(serve: (config: Config) => Promise<Running>): Promise<void> {
  const config = loadConfigFromProcess()
  guardMemory(pino({ level: config.api.log_level, base: null }))
  await checkBooks(config)
  // Before it serves, SIGHUP would end the process.
  const signalled = reloadOnSignal()
  const running = await serve(config)
  signalled.start(() => running.reload(loadConfigFromProcess))
  await stopOnSignal(() => running.stop())
}

/** A signal that arrives before there is something to reload is remembered. */
function reloadOnSignal() {
  let reload: (() => Promise<void>) | undefined
  let early = false
  process.on('SIGHUP', () => {
    early = reload === undefined
    void reload?.()
  })
  return {
    start(run: () => Promise<void>) {
      reload = run
      if (early) void run()
    },
  }
}
