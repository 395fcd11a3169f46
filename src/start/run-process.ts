import { loadConfigFromProcess, type Config } from '../config/load.ts'
import type { SecretReader } from '../config/secrets-of.ts'
import { watchCurrency } from './check-currency.ts'
import { guardMemory } from './guard-memory.ts'
import { openLog } from './open-log.ts'
import type { Reloads } from './signals/reload-on-signal.ts'
import { stopOnSignal } from './signals/stop-on-signal.ts'

export type Running = { reload(load: () => Config): Promise<void>; stop(): Promise<void> }

/** Runs a process until SIGTERM or SIGINT. SIGHUP makes it load its configuration again. */
export async function runProcess(
  name: SecretReader,
  serve: (config: Config) => Promise<Running>,
  reloads: Reloads,
): Promise<void> {
  const load = () => loadConfigFromProcess(name)
  const config = load()
  guardMemory(openLog(config))
  await watchCurrency(config)
  const running = await serve(config)
  reloads.start(() => running.reload(load))
  await stopOnSignal(() => running.stop())
}
