import { Option, type Command } from 'commander'
import { OperatorError } from '../lib/operator-error.ts'
import { uuidV7 } from '../lib/uuid.ts'
import {
  createSigningKey,
  issuePlaygroundCredential,
  PLAYGROUND_LIFE_MS_MAX,
  playgroundRealm,
  type SigningKey,
} from '../tenancy/playground-credential.ts'
import { openOperator, type Operator } from './operator.ts'
import {
  byOption,
  jsonOption,
  organizationOption,
  parseDurationMs,
  type ByOption,
  type JsonOption,
} from './options.ts'
import { printRecord } from './print.ts'

const PLAYGROUND_LIFE_MS_DEFAULT = 300_000

type PlaygroundOptions = JsonOption &
  ByOption & {
    readonly organization: string
    readonly project: string
    readonly account: string
    readonly ttl: number
  }

export function registerPlayground(key: Command): void {
  key
    .command('playground')
    .description('issue a short-lived playground credential for one member')
    .addOption(organizationOption())
    .option('--project <project>', 'name or id', 'default')
    .requiredOption('--account <account>', 'email address or id of the member')
    .addOption(
      new Option('--ttl <time>', 'lifetime, at most 10m')
        .default(PLAYGROUND_LIFE_MS_DEFAULT, '5m')
        .argParser((text) => parseDurationMs(text)),
    )
    .addOption(byOption())
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
      const { recordPlaygroundCredential } =
        await import('../platform/playground/record-credential.ts')
      const issued = { organization: organization.id, account, project }
      const { expiresAt } = claims
      await operator.act(recordPlaygroundCredential, { ...issued, expiresAt }, options)
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
