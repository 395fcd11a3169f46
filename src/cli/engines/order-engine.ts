import type { Command } from 'commander'
import type { EngineOrder } from '../../contract/management/operator-system.ts'
import { openOperator } from '../operator.ts'
import { byOption, jsonOption, textOption, type ByOption, type JsonOption } from '../options.ts'
import { printRecord } from '../print.ts'

type OrderOptions = JsonOption & ByOption & { readonly note?: string }

const ORDERS: readonly [command: string, state: EngineOrder['state'], description: string][] = [
  ['drain', 'draining', 'send no new generations to an engine; those that run finish'],
  ['disable', 'disabled', 'the same, and do not probe it either'],
  ['enable', 'enabled', 'use an engine again that was drained or disabled'],
]

export function registerEngineOrders(engine: Command): void {
  for (const [command, state, description] of ORDERS)
    engine
      .command(`${command} <engine>`)
      .description(description)
      .addOption(textOption('--note <text>', 'reason recorded in the audit log'))
      .addOption(byOption())
      .addOption(jsonOption())
      .action((name: string, options: OrderOptions) => runOrder(name, state, options))
}

async function runOrder(
  engine: string,
  state: EngineOrder['state'],
  options: OrderOptions,
): Promise<void> {
  await using operator = await openOperator()
  const { orderEngine } = await import('../../platform/operator/order-engine.ts')
  const { note } = options
  const input = { engine, state, ...(note !== undefined && { note }) }
  printRecord(await operator.act(orderEngine, input, options), options)
}
