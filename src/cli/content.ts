import { once } from 'node:events'
import type { Command } from 'commander'
import type { ExportedRecord, ExportRefusal } from '../store/content/content-export.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { openAuditLog, openOperator, type Operator } from './operator.ts'
import { byOption, authorOf, jsonOption, type ByOption, type JsonOption } from './options.ts'
import { printRecord, printTable } from './print.ts'

export function registerContent(program: Command): void {
  const content = program
    .command('content')
    .description('manage retained content (always encrypted)')
  registerList(content)
  registerExport(content)
  registerDestroy(content)
  registerKeys(content)
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
    .addOption(byOption())
    .action(async (reference: string, options: ByOption) => {
      await using operator = await openOperator()
      const { recordContentExport } = await import('../platform/retention/record-export.ts')
      const { readContributions } = await import('../store/content/content-export.ts')
      const masterKeys = await readContentKeys(operator)
      const input = { organization: reference }
      const { id } = await operator.act(recordContentExport, input, options)
      const counts = new Map<'exported' | ExportRefusal, number>([['exported', 0]])
      for await (const record of readContributions(operator.database, id, masterKeys)) {
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
        const { destroyContent } = await import('../platform/retention/destroy-content.ts')
        const done = await operator.act(destroyContent, { organization: id }, options)
        const keys = done.destroyed_keys
        await audit(id, keys, authorOf(options))
        printRecord({ organization_id: id, keys_destroyed: keys }, options)
      },
    )
}

function registerKeys(content: Command): void {
  content
    .command('keys')
    .description('show how many content keys each HEADRACE_CONTENT_KEY has encrypted')
    .addOption(jsonOption())
    .action(async (options: JsonOption) => {
      await using operator = await openOperator()
      const { countKeysByMaster } = await import('../store/content/rewrap-keys.ts')
      const { current, accepted } = await readContentKeys(operator)
      const counts = await countKeysByMaster(operator.database)
      const rows = [current, ...accepted].map(({ id }, index) => {
        const master = id.toString('hex')
        const count = counts.get(master) ?? 0
        counts.delete(master)
        return { master, use: index === 0 ? 'current' : 'accepted', content_keys: count }
      })
      // Keys of the first format do not name their master key.
      for (const [master, count] of counts)
        rows.push({ master, use: master === '' ? 'not recorded' : 'unknown', content_keys: count })
      printTable(['master', 'use', 'content_keys'], rows, options)
    })
}

function registerRewrap(content: Command): void {
  content
    .command('rewrap')
    .description('re-encrypt content keys with the current HEADRACE_CONTENT_KEY')
    .addOption(jsonOption())
    .action(async (options: JsonOption) => {
      await using operator = await openOperator()
      const { rewrapContentKeys } = await import('../store/content/rewrap-keys.ts')
      const masterKeys = await readContentKeys(operator)
      printRecord(await rewrapContentKeys(operator.database, masterKeys), options)
    })
}

async function audit(organizationId: string, count: number, by: string): Promise<void> {
  const log = await openAuditLog()
  log.info({ organizationId, count, by }, 'content keys destroyed')
}

async function readContentKeys({ config }: Operator) {
  const { readMasterKeys } = await import('../store/content/content-keys.ts')
  const { content_key: current, accepted_content_keys: accepted } = config
  if (current !== undefined) return readMasterKeys(current, accepted)
  const { ConfigError } = await import('../config/load.ts')
  throw new ConfigError(['HEADRACE_CONTENT_KEY is not set; it is needed to decrypt content'])
}
