import { InvalidArgumentError, Option, type Command } from 'commander'
import {
  IGNORABLE_PARAMETERS,
  joinIgnored,
  type IgnorableParameter,
} from '../contract/ignorable-parameters.ts'
import type { StoredKey } from '../store/tenants/api-keys.ts'
import { formatAmount } from '../tenancy/money/amount.ts'
import { displayApiKey } from '../tenancy/api-key.ts'
import { LIMIT_MAX } from '../tenancy/rate-limits.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { DAY_MS } from '../lib/time.ts'
import { registerPlayground } from './key-playground.ts'
import { openOperator, type Operator } from './operator.ts'
import {
  byOption,
  jsonOption,
  organizationOption,
  pageOf,
  parseCount,
  parseDurationMs,
  parseFuture,
  spendingLimitOption,
  textOption,
  unless,
  withPage,
  type ByOption,
  type JsonOption,
  type PageOptions,
  type SpendingLimit,
} from './options.ts'
import { printNew, printRecord, printTable, type Printable } from './print.ts'

const OVERLAP_MS_DEFAULT = DAY_MS

export function registerKey(program: Command): void {
  const key = program.command('key').description('manage API keys (a key is named by its id)')
  registerCreate(key)
  registerRead(key)
  registerChange(key)
  registerRotate(key)
  registerRevoke(key)
  registerPlayground(key)
}

/** Settings that a key may be created with and changed to. */
type SettingOptions = JsonOption &
  ByOption & {
    readonly name?: string
    readonly expires?: Date | 'never'
    readonly models?: string[] | 'all'
    readonly ignoredParameters?: IgnorableParameter[]
    readonly requestsPerMinute?: number | 'none'
    readonly spendingLimit?: SpendingLimit
  }

type CreateOptions = SettingOptions & {
  readonly organization: string
  readonly project: string
  readonly name: string
  readonly account?: string
}

function registerCreate(key: Command): void {
  withSettings(
    key
      .command('create')
      .description('create an API key; the key is shown only once')
      .addOption(organizationOption())
      .option('--project <project>', 'name or id', 'default')
      .requiredOption('--name <name>', 'display name of the key')
      .option(
        '--account <account>',
        'owning member; the key stops working when they leave (default: owned by the organization)',
      ),
    'lifetime (90s, 15m, 12h, 30d) or UTC time (2027-01-01, 2027-01-01T08:00Z); default: never',
  ).action(async (options: CreateOptions) => {
    await using operator = await openOperator(options.spendingLimit !== undefined)
    const { findAccount } = await import('../store/tenants/accounts.ts')
    const { findOrganization } = await import('../store/tenants/organizations.ts')
    const { findProject } = await import('../store/tenants/projects.ts')
    const { createKey } = await import('../platform/keys/create-key.ts')
    const { database } = operator
    const { id: organization } = await findOrganization(database, options.organization)
    const { id: project } = await findProject(database, organization, options.project)
    const ownerId =
      options.account === undefined ? null : (await findAccount(database, options.account)).id
    const input = { ...settingsOf(options), name: options.name, organization, project, ownerId }
    const created = await operator.act(createKey, input, options)
    await printSecret(operator, created, options)
  })
}

function registerChange(key: Command): void {
  withSettings(
    key
      .command('change <id>')
      .description('change an API key; takes effect on the next request')
      .option('--name <name>', 'display name of the key'),
    'lifetime from now (30d), UTC time (2027-01-01, 2027-01-01T08:00Z) or never',
  ).action(async (id: string, options: SettingOptions) => {
    const settings = settingsOf(options)
    if (Object.keys(settings).length === 0) throw new OperatorError('nothing to change: see --help')
    await using operator = await openOperator(options.spendingLimit !== undefined)
    const { changeKey } = await import('../platform/keys/change-key.ts')
    const input = { ...(await nameKey(operator, id)), ...settings }
    await operator.act(changeKey, input, options)
    await print(operator, id, options)
  })
}

function withSettings(command: Command, expires: string): Command {
  return command
    .addOption(new Option('--expires <time>', expires).argParser(parseExpiry))
    .addOption(
      new Option(
        '--models <ids>',
        'models that the key may use, separated by commas, or all (of the plan)',
      ).argParser((text) => (text === 'all' ? text : text.split(','))),
    )
    .addOption(
      new Option(
        '--ignored-parameters <names|none>',
        'parameters that requests may have without effect, separated by commas',
      ).argParser(parseIgnored),
    )
    .addOption(
      new Option('--requests-per-minute <count|none>', 'limit of this key').argParser((text) =>
        text === 'none' ? text : parseCount(text, 0, LIMIT_MAX),
      ),
    )
    .addOption(spendingLimitOption())
    .addOption(byOption())
    .addOption(jsonOption())
}

/** When the key expires. */
function parseExpiry(text: string): Date | 'never' {
  return text === 'never' ? text : parseFuture(text)
}

function parseIgnored(text: string): IgnorableParameter[] {
  if (text === 'none') return []
  const asked = text.split(',')
  if (asked.every((name) => joinIgnored([name]).length > 0)) return joinIgnored(asked)
  throw new InvalidArgumentError(
    `Must be none, or one or more of ${IGNORABLE_PARAMETERS.join(', ')}.`,
  )
}

function settingsOf(options: SettingOptions) {
  const { name, expires, models, requestsPerMinute, spendingLimit } = options
  const { ignoredParameters: ignored } = options
  return {
    ...(name !== undefined && { name }),
    ...(expires !== undefined && {
      expires_at: expires === 'never' ? null : expires.toISOString(),
    }),
    ...(models !== undefined && { models: unless(models, 'all') }),
    ...(ignored !== undefined && { ignored_parameters: ignored }),
    ...(requestsPerMinute !== undefined && {
      requests_per_minute: unless(requestsPerMinute, 'none'),
    }),
    ...(spendingLimit !== undefined && { spending_limit: unless(spendingLimit, 'none') }),
  }
}

function registerRead(key: Command): void {
  withPage(key.command('list').description('list API keys, including expired and revoked ones'))
    .addOption(organizationOption())
    .option('--project <project>', 'list only the keys of this project (name or id)')
    .action(async (options: PageOptions & { organization: string; project?: string }) => {
      await using operator = await openOperator()
      const { listApiKeys } = await import('../store/tenants/list-api-keys.ts')
      const { findOrganization } = await import('../store/tenants/organizations.ts')
      const { findProject } = await import('../store/tenants/projects.ts')
      const { id } = await findOrganization(operator.database, options.organization)
      const scope =
        options.project === undefined
          ? { organizationId: id }
          : {
              organizationId: id,
              projectId: (await findProject(operator.database, id, options.project)).id,
            }
      const rows = await listApiKeys(operator.database, scope, pageOf(options))
      const columns = [
        'id',
        'shown_as',
        'name',
        'project',
        'expires_at',
        'revoked_at',
        'last_used_at',
      ]
      printTable(columns, rows.map(view), options)
    })
  key
    .command('show <id>')
    .description('show an API key (without its secret)')
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption) => {
      await using operator = await openOperator()
      await print(operator, id, options)
    })
}

function registerRotate(key: Command): void {
  key
    .command('rotate <id>')
    .description('replace an API key by one with the same settings, which is shown only once')
    .addOption(
      new Option('--overlap <time>', 'how long the old key still works, 0 or up to 7d')
        .default(OVERLAP_MS_DEFAULT, '24h')
        .argParser((text) => (text === '0' ? 0 : parseDurationMs(text))),
    )
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption & ByOption & { readonly overlap: number }) => {
      await using operator = await openOperator()
      const { rotateKey } = await import('../platform/keys/rotate-key.ts')
      const overlap = { overlap_seconds: options.overlap / 1000 }
      const input = { ...(await nameKey(operator, id)), ...overlap }
      const created = await operator.act(rotateKey, input, options)
      await printSecret(operator, created, options)
    })
}

function registerRevoke(key: Command): void {
  key
    .command('revoke <id>')
    .description('revoke an API key permanently; takes effect on the next request')
    .addOption(textOption('--reason <text>', 'reason shown with the key'))
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption & ByOption & { readonly reason?: string }) => {
      await using operator = await openOperator()
      const { revokeKey } = await import('../platform/keys/revoke-key.ts')
      const { reason } = options
      const input = { ...(await nameKey(operator, id)), ...(reason !== undefined && { reason }) }
      await operator.act(revokeKey, input, options)
      await print(operator, id, options)
    })
}

/** The command line names a key without its organization. */
async function nameKey(operator: Operator, id: string) {
  const { findApiKey } = await import('../store/tenants/api-keys.ts')
  const { organization_id: organization } = await findApiKey(operator.database, id)
  return { organization, key: id }
}

async function print(operator: Operator, id: string, options: JsonOption): Promise<void> {
  const { findApiKey } = await import('../store/tenants/api-keys.ts')
  printRecord(view(await findApiKey(operator.database, id)), options)
}

async function printSecret(
  operator: Operator,
  { id, key }: { readonly id: string; readonly key: string },
  options: JsonOption,
): Promise<void> {
  const { findApiKey } = await import('../store/tenants/api-keys.ts')
  printNew({ key, ...view(await findApiKey(operator.database, id)) }, options)
  console.error('Store the key now: it is not shown again.')
}

function view(key: StoredKey): Printable {
  const { id, prefix, last4, limits_id: _, ...rest } = key
  const limit = key.spending_limit
  const spending_limit = limit === null ? null : formatAmount(limit)
  return { id, shown_as: displayApiKey({ prefix, last4 }), ...rest, spending_limit }
}
