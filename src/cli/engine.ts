import type { Command } from 'commander'
import { OperatorError } from '../lib/operator-error.ts'
import { registerEngineList } from './engines/list-engines.ts'
import { registerEngineOrders } from './engines/order-engine.ts'
import { jsonOption, type JsonOption } from './options.ts'
import { printTable, type Printable } from './print.ts'

export function registerEngine(program: Command): void {
  const engine = program.command('engine').description('inspect engines, and take them out of use')
  registerEngineList(engine)
  registerEngineOrders(engine)
  engine
    .command('probe')
    .description('print what every engine can do, and how that is known; exits 1 if any is missing')
    .addOption(jsonOption())
    .action(runProbe)
  engine
    .command('tokens <file>')
    .description('print the control tokens in tokenizer.json, tekken.json or a GGUF file')
    .addOption(jsonOption())
    .action(printTokens)
}

async function runProbe(options: JsonOption): Promise<void> {
  const { loadConfigFromProcess } = await import('../config/load.ts')
  const { createEngineConnector } = await import('../start/connect-engines.ts')
  const { discoverOnce } = await import('../start/serving/discover-once.ts')
  const { readVocabularies, vocabulariesOf } = await import('../start/read-vocabularies.ts')
  const { EngineError } = await import('../engines/adapters/engine.ts')
  const { failureOf } = await import('./engines/failure-of.ts')
  const { learnTokens } = await import('../engines/adapters/learn-tokens.ts')
  const { probeEngine, sourceOf } = await import('../engines/adapters/probe/probe-engine.ts')
  const config = loadConfigFromProcess()
  const vocabularies = readVocabularies(config)
  const discovered = await discoverOnce(config)
  const urls = new Map(discovered.engines.map(({ name, url }) => [name, url]))
  const enginesOf = createEngineConnector(config).connect(discovered, config)
  const rows: Printable[] = []
  const reasons: string[] = []
  for (const engine of new Set([...enginesOf.values()].flat())) {
    const place = { engine: engine.name, url: urls.get(engine.name) ?? null }
    const add = (capability: string, value: boolean | 'unknown') =>
      rows.push({ ...place, capability, value, source: sourceOf(engine, capability) })
    try {
      const own = vocabulariesOf(engine, enginesOf, vocabularies)
      const { known, surviving } = await learnTokens(engine, [...own.values()])
      const capabilities = await probeEngine(engine)
      add('reachable', true)
      for (const [capability, value] of Object.entries(capabilities)) add(capability, value)
      add('control_tokens', known && surviving.length === 0)
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      add('reachable', false)
      reasons.push(`${engine.name} (${place.url}): ${failureOf(error)}`)
    }
    engine.close()
  }
  printTable(['engine', 'url', 'capability', 'value', 'source'], rows, options)
  for (const reason of reasons) console.error(reason)
  if (rows.some(({ value }) => value !== true)) process.exitCode = 1
}

async function printTokens(file: string, options: JsonOption): Promise<void> {
  const { readVocabularyFile } = await import('../lib/vocabulary/read-vocabulary.ts')
  const { selectControlTokens } = await import('../engines/adapters/vocabulary.ts')
  try {
    const tokens = selectControlTokens(readVocabularyFile(file))
    const rows = tokens.map((token) => ({ token }))
    printTable(['token'], rows, options)
  } catch (cause) {
    throw new OperatorError(`the file cannot be read: ${(cause as Error).message}`, { cause })
  }
}
