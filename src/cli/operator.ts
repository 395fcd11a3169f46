import type { Kysely } from 'kysely'
import { OperatorError } from '../lib/operator-error.ts'
import type { Config } from '../config/load.ts'
import type { UseCase } from '../platform/use-case/use-case.ts'
import type { Tables } from '../store/postgres/tables.ts'
import { authorOf, type ByOption } from './options.ts'

/** Configuration and connections of one CLI command. */
export type Operator = {
  readonly config: Config
  readonly database: Kysely<Tables>
  /** Runs a use case as whoever has this shell. */
  act<Input, Value>(useCase: UseCase<Input, Value>, input: Input, options: ByOption): Promise<Value>
  [Symbol.asyncDispose](): Promise<void>
}

/** For commands that show or change amounts: rejects another currency than that of the ledger. */
export async function openTreasurer(): Promise<Operator> {
  return openOperator(true)
}

/** Modules are imported lazily so that showing the help stays fast. */
export async function openOperator(handlesAmounts = false): Promise<Operator> {
  const { loadConfigFromProcess } = await import('../config/load.ts')
  const { openPlatform } = await import('../start/open-platform.ts')
  const { ApiError } = await import('../contract/error.ts')
  const config = loadConfigFromProcess('command')
  const platform = openPlatform(config, await openAuditLog(), { connectionsMax: 1 })
  const { environment, postgres } = platform
  if (handlesAmounts) {
    const { checkCurrency } = await import('../store/ledger/currency.ts')
    try {
      await checkCurrency(postgres.pool, config.currency)
    } catch (error) {
      await platform[Symbol.asyncDispose]()
      throw error
    }
  }
  return {
    config,
    database: postgres.database,
    async act(useCase, input, options) {
      const actor = { kind: 'operator_shell', name: authorOf(options), request: null } as const
      try {
        return await useCase(environment, actor, input)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        throw new OperatorError(asClause(error.message), { cause: error })
      }
    },
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]()
    },
  }
}

/** Messages of the command line begin in lower case and have no full stop. */
function asClause(message: string): string {
  const clause = `${message.charAt(0).toLowerCase()}${message.slice(1)}`
  return clause.endsWith('.') ? clause.slice(0, -1) : clause
}

/** On standard error for log collection; standard output carries the command's output. */
export async function openAuditLog() {
  const { destination, pino } = await import('pino')
  return pino({ base: null }, destination({ dest: 2, sync: true }))
}
