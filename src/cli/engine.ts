import type { Command } from 'commander'
import { jsonOption, type JsonOption } from './options.ts'
import { printTable, type Printable } from './print.ts'

export function registerEngine(program: Command): void {
  program
    .command('engine')
    .description('inspect the configured engines')
    .command('probe')
    .description('test the required capabilities of every engine; exits 1 if any is missing')
    .addOption(jsonOption())
    .action(runProbe)
}

async function runProbe(options: JsonOption): Promise<void> {
  const { loadConfigFromProcess } = await import('../config/load.ts')
  const { connectEngines } = await import('../start/connect-engines.ts')
  const { EngineError } = await import('../engines/adapters/engine.ts')
  const { CAPABILITIES, probeEngine } = await import('../engines/adapters/probe-engine.ts')
  const engines = new Set([...connectEngines(loadConfigFromProcess()).values()].flat())
  const rows: Printable[] = []
  for (const engine of engines) {
    try {
      rows.push({ engine: engine.name, reachable: true, ...(await probeEngine(engine)) })
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      rows.push({ engine: engine.name, reachable: false })
    }
    engine.close()
  }
  printTable(['engine', 'reachable', ...CAPABILITIES], rows, options)
  if (rows.some((row) => Object.values(row).includes(false))) process.exitCode = 1
}
