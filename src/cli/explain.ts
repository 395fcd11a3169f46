import type { Command } from 'commander'
import type { OperatorRequest } from '../contract/management/usage.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { authorOf, jsonOption } from './options.ts'
import type { JsonOption } from './options.ts'
import { printRecord, type Printable } from './print.ts'

const CONNECT_MS = 2_500

type ExplainOptions = JsonOption & { readonly organization?: string }

export function registerExplain(program: Command): void {
  program
    .command('explain <request>')
    .description('explain what became of a request, by the id in its x-request-id header')
    .option('--organization <organization>', 'slug or id; needed to find a refused request')
    .addOption(jsonOption())
    .action(async (id: string, options: ExplainOptions) => {
      const explained = await explain(id, options.organization)
      if (options.json === true) console.log(JSON.stringify(explained, null, 2))
      else printRecord(flatten(explained), options)
    })
}

async function explain(id: string, organization: string | undefined): Promise<OperatorRequest> {
  const { loadConfigFromProcess } = await import('../config/load.ts')
  const { openPlatform } = await import('../start/open-platform.ts')
  const { explainRequest } = await import('../platform/usage/explain-request.ts')
  const { ApiError } = await import('../contract/error.ts')
  const { pino } = await import('pino')
  const log = pino({ level: 'silent' })
  await using platform = openPlatform(loadConfigFromProcess(), log, { connectionsMax: 1 })
  const { environment } = platform
  // A request that was served is explained without Valkey too.
  await environment.valkey.connected(CONNECT_MS).catch(() => undefined)
  const actor = { kind: 'operator_shell', name: authorOf({}), request: null } as const
  try {
    const input = { id, ...(organization !== undefined && { organization }) }
    return await explainRequest(environment, actor, input)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const hint =
      organization === undefined ? '; a refused request is found with --organization only' : ''
    throw new OperatorError(
      error.kind === 'not_found' ? `no such request is known${hint}` : error.message,
      { cause: error },
    )
  }
}

type Entry = [string, Printable[string]]

/** Members of members become members: `error.status`. */
function flatten(value: object, prefix = ''): Printable {
  const entries = Object.entries(value).flatMap(([name, each]: [string, unknown]): Entry[] => {
    const path = `${prefix}${name}`
    if (isPlain(each)) return [[path, each]]
    if (Array.isArray(each) && each.every(isPlain)) return [[path, each.map(String)]]
    return Object.entries(flatten(each as object, `${path}.`))
  })
  return Object.fromEntries(entries)
}

function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || typeof value !== 'object'
}
