import { once } from 'node:events'
import type { Command } from 'commander'
import type { ExportedRecord, ExportRefusal } from '../store/content/content-export.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { openOperator } from './operator.ts'
import type { Operator } from './operator.ts'
import { byOption, authorOf, jsonOption } from './options.ts'
import type { ByOption, JsonOption } from './options.ts'
import { printRecord, printTable } from './print.ts'

export function registerContent(program: Command): void {
  const content = program
    .command('content')
    .description('manage retained content (always encrypted)')
  registerList(content)
  registerExport(content)
  registerDestroy(content)
  registerRewrap(content)
}

function registerList(content: Command): void {
  content
    .command('list <organization>')
    .description('show how much content of an organization is retained, by day')
    .addOption(jsonOption())
    .action(async (reference: string, options: JsonOption) => {
      await using operator = await openOperator()
      const { findOrganization } = await import('../store/tenants/organizations.ts')
      const { listRetainedDays } = await import('../store/content/content-export.ts')
      const { id } = await findOrganization(operator.database, reference)
      const days = await listRetainedDays(operator.database, id)
      printTable(['day', 'retention', 'records', 'bytes', 'readable'], days, options)
    })
}

function registerExport(content: Command): void {
  content
    .command('export <organization>')
    .description('print contributions as lines of JSON; skips records without valid consent')
    .action(async (reference: string) => {
      await using operator = await openOperator()
      const { findOrganization } = await import('../store/tenants/organizations.ts')
      const { readContributions } = await import('../store/content/content-export.ts')
      const masterKey = await readContentKey(operator)
      const { id } = await findOrganization(operator.database, reference)
      const counts = new Map<'exported' | ExportRefusal, number>([['exported', 0]])
      for await (const record of readContributions(operator.database, id, masterKey)) {
        const name = typeof record === 'string' ? record : 'exported'
        counts.set(name, (counts.get(name) ?? 0) + 1)
        if (typeof record !== 'string') await printLine(id, record)
      }
      // Standard output carries the export itself.
      const parts = [...counts].map(([name, count]) => `${name} ${count}`)
      console.error(`headrace: ${parts.join(', ')}`)
    })
}

/** The one place where content leaves the program on purpose. */
async function printLine(organizationId: string, record: ExportedRecord): Promise<void> {
  const { id, projectId, model, terms, content } = record
  const head = {
    id,
    organization_id: organizationId,
    project_id: projectId,
    model,
    terms_version: terms.version,
    terms_accepted_at: terms.acceptedAt,
    terms_accepted_by: terms.acceptedBy,
  }
  // The content is an object in JSON already, so that its members simply follow.
  const line = `${JSON.stringify(head).slice(0, -1)},${content.reveal().toString().slice(1)}\n`
  if (!process.stdout.write(line)) await once(process.stdout, 'drain')
}

function registerDestroy(content: Command): void {
  content
    .command('destroy <organization>')
    .description(
      'destroy all content keys of an organization; its content becomes permanently unreadable',
    )
    .option('--yes', 'confirm')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(
      async (reference: string, options: JsonOption & ByOption & { readonly yes?: boolean }) => {
        await using operator = await openOperator()
        const { findOrganization } = await import('../store/tenants/organizations.ts')
        const { id, slug } = await findOrganization(operator.database, reference)
        if (options.yes !== true)
          throw new OperatorError(
            `all retained content of ${slug} becomes permanently unreadable: confirm with --yes`,
          )
        const { destroyContentKeys } = await import('../store/content/content-keys.ts')
        const keys = await destroyContentKeys(operator.database, id)
        await audit(id, keys, authorOf(options))
        printRecord({ organization_id: id, keys_destroyed: keys }, options)
      },
    )
}

const KEY = /^[A-Za-z0-9_-]{43}$/

function registerRewrap(content: Command): void {
  content
    .command('rewrap')
    .description(
      're-encrypt content keys with the current HEADRACE_CONTENT_KEY; reads the old key from stdin',
    )
    .addOption(jsonOption())
    .action(async (options: JsonOption) => {
      await using operator = await openOperator()
      const { readMasterKey, rewrapContentKeys } = await import('../store/content/content-keys.ts')
      const { text } = await import('node:stream/consumers')
      const to = await readContentKey(operator)
      const from = (await text(process.stdin)).trim()
      if (!KEY.test(from)) throw new OperatorError('standard input must be a key of 43 characters')
      const counts = await rewrapContentKeys(operator.database, readMasterKey(from), to)
      printRecord(counts, options)
    })
}

/** Logged to stderr for log collection; stdout carries the command's output. */
async function audit(organizationId: string, count: number, by: string): Promise<void> {
  const { destination, pino } = await import('pino')
  const log = pino({ base: null }, destination({ dest: 2, sync: true }))
  log.info({ organizationId, count, by }, 'content keys destroyed')
}

async function readContentKey({ config }: Operator) {
  const { readMasterKey } = await import('../store/content/content-keys.ts')
  if (config.content_key !== undefined) return readMasterKey(config.content_key)
  const { ConfigError } = await import('../config/load.ts')
  throw new ConfigError(['HEADRACE_CONTENT_KEY is not set; it is needed to decrypt content'])
}
