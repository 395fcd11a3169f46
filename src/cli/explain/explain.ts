import type { Command } from 'commander'
import type { OperatorRequest } from '../../contract/management/usage.ts'
import { describeRequest } from './describe-request.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { authorOf, jsonOption, type JsonOption } from '../options.ts'
import { printRecord } from '../print.ts'

const CONNECT_MS = 2_500

type ExplainOptions = JsonOption & { readonly organization?: string }

export function registerExplain(program: Command): void {
  program
    .command('explain <request>')
    .description('explain what became of a request, by the id in its x-request-id header')
    .option('--organization <organization>', 'slug or id; needed to find a refused request')
    .addOption(jsonOption())
    .action(async (id: string, options: ExplainOptions) => {
      const { explained, slug } = await explain(id, options.organization)
      if (options.json === true) console.log(JSON.stringify(explained, null, 2))
      else printRecord(describeRequest(explained, slug), options)
    })
}

type Explained = { readonly explained: OperatorRequest; readonly slug: string }

async function explain(id: string, organization: string | undefined): Promise<Explained> {
  const { loadConfigFromProcess } = await import('../../config/load.ts')
  const { openPlatform } = await import('../../start/open-platform.ts')
  const { explainRequest } = await import('../../platform/usage/explain-request.ts')
  const { findOrganization } = await import('../../store/tenants/organizations.ts')
  const { ApiError } = await import('../../contract/error.ts')
  const { pino } = await import('pino')
  const log = pino({ level: 'silent' })
  await using platform = openPlatform(loadConfigFromProcess('command'), log, { connectionsMax: 1 })
  const { environment } = platform
  // A request that was served is explained without Valkey too.
  await environment.valkey.connected(CONNECT_MS).catch(() => undefined)
  const actor = { kind: 'operator_shell', name: authorOf({}), request: null } as const
  try {
    const input = { id, ...(organization !== undefined && { organization }) }
    const explained = await explainRequest(environment, actor, input)
    const { slug } = await findOrganization(environment.database, explained.organization)
    return { explained, slug }
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
