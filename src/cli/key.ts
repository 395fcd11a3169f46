import { Option } from 'commander'
import type { Command } from 'commander'
import { uuidV7 } from '../lib/uuid.ts'
import type { StoredKey } from '../store/tenants/api-keys.ts'
import { createApiKey, displayApiKey } from '../tenancy/api-key.ts'
import {
  createSigningKey,
  issuePlaygroundCredential,
  PLAYGROUND_LIFE_MS_MAX,
  playgroundRealm,
} from '../tenancy/playground-credential.ts'
import type { SigningKey } from '../tenancy/playground-credential.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { openOperator } from './operator.ts'
import type { Operator } from './operator.ts'
import { jsonOption, organizationOption, pageOf, parseDurationMs, withPage } from './options.ts'
import type { JsonOption, PageOptions } from './options.ts'
import { printRecord, printTable } from './print.ts'
import type { Printable } from './print.ts'

const PLAYGROUND_LIFE_MS_DEFAULT = 300_000

export function registerKey(program: Command): void {
  const key = program.command('key').description('manage API keys (a key is named by its id)')
  registerCreate(key)
  registerRead(key)
  registerRevoke(key)
  registerPlayground(key)
}

type CreateOptions = JsonOption & {
  readonly organization: string
  readonly project: string
  readonly name: string
  readonly account?: string
  readonly expires?: number
}

function registerCreate(key: Command): void {
  key
    .command('create')
    .description('create an API key; the key is shown only once')
    .addOption(organizationOption())
    .option('--project <project>', 'name or id', 'default')
    .requiredOption('--name <name>', 'display name of the key')
    .option(
      '--account <account>',
      'owning member; the key stops working when they leave (default: owned by the organization)',
    )
    .addOption(
      new Option(
        '--expires <time>',
        'lifetime such as 90s, 15m, 12h or 30d (default: never expires)',
      ).argParser(parseDurationMs),
    )
    .addOption(jsonOption())
    .action(async (options: CreateOptions) => {
      await using operator = await openOperator()
      const { findAccount } = await import('../store/tenants/accounts.ts')
      const { storeApiKey } = await import('../store/tenants/api-keys.ts')
      const { findOrganization } = await import('../store/tenants/organizations.ts')
      const { findProject } = await import('../store/tenants/projects.ts')
      const { config, database } = operator
      const organization = await findOrganization(database, options.organization)
      const project = await findProject(database, organization.id, options.project)
      const account =
        options.account === undefined ? null : await findAccount(database, options.account)
      const apiKey = createApiKey(config.api.key_prefix)
      const stored = await storeApiKey(database, apiKey, {
        projectId: project.id,
        createdByAccountId: account?.id ?? null,
        name: options.name,
        expiresAt: options.expires === undefined ? null : new Date(Date.now() + options.expires),
      })
      printRecord({ key: apiKey, ...view(stored) }, options)
    })
}

function registerRead(key: Command): void {
  withPage(key.command('list').description('list API keys, including expired and revoked ones'))
    .addOption(organizationOption())
    .option('--project <project>', 'list only the keys of this project (name or id)')
    .action(async (options: PageOptions & { organization: string; project?: string }) => {
      await using operator = await openOperator()
      const { listApiKeys } = await import('../store/tenants/api-keys.ts')
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
      const { findApiKey } = await import('../store/tenants/api-keys.ts')
      printRecord(view(await findApiKey(operator.database, id)), options)
    })
}

function registerRevoke(key: Command): void {
  key
    .command('revoke <id>')
    .description('revoke an API key permanently; takes effect on the next request')
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption) => {
      await using operator = await openOperator()
      const { findApiKey, revokeApiKey } = await import('../store/tenants/api-keys.ts')
      const found = await findApiKey(operator.database, id)
      const { value, raised } = await revokeApiKey(operator.database, found)
      await operator.raise(raised)
      printRecord(view(value), options)
    })
}

type PlaygroundOptions = JsonOption & {
  readonly organization: string
  readonly project: string
  readonly account: string
  readonly ttl: number
}

function registerPlayground(key: Command): void {
  key
    .command('playground')
    .description('issue a short-lived playground credential for one member')
    .addOption(organizationOption())
    .option('--project <project>', 'name or id', 'default')
    .requiredOption('--account <account>', 'e-mail address or id of the member')
    .addOption(
      new Option('--ttl <time>', 'lifetime, at most 10m')
        .default(PLAYGROUND_LIFE_MS_DEFAULT, '5m')
        .argParser(parseDurationMs),
    )
    .addOption(jsonOption())
    .action(async (options: PlaygroundOptions) => {
      if (options.ttl > PLAYGROUND_LIFE_MS_MAX) throw new OperatorError('--ttl must be at most 10m')
      await using operator = await openOperator()
      const { findAccount } = await import('../store/tenants/accounts.ts')
      const { findOrganization } = await import('../store/tenants/organizations.ts')
      const { findProject } = await import('../store/tenants/projects.ts')
      const signingKey = await readSigningKey(operator)
      const { database, config } = operator
      const organization = await findOrganization(database, options.organization)
      const project = await findProject(database, organization.id, options.project)
      const account = await findAccount(database, options.account)
      const nowMs = Date.now()
      const claims = {
        id: uuidV7(nowMs),
        organizationId: organization.id,
        projectId: project.id,
        accountId: account.id,
        expiresAt: new Date(nowMs + options.ttl),
      }
      const realm = playgroundRealm(config.api)
      const credential = issuePlaygroundCredential(claims, realm, signingKey, nowMs)
      printRecord({ credential, id: claims.id, expires_at: claims.expiresAt }, options)
    })
}

async function readSigningKey({ config }: Operator): Promise<SigningKey> {
  if (config.signing_key !== undefined) return createSigningKey(config.signing_key)
  const { ConfigError } = await import('../config/load.ts')
  throw new ConfigError([
    'HEADRACE_SIGNING_KEY is not set; it is needed to sign playground credentials',
  ])
}

function view(key: StoredKey): Printable {
  const { id, prefix, last4, ...rest } = key
  return { id, shown_as: displayApiKey({ prefix, last4 }), ...rest }
}
