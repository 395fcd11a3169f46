import { Option, type Command } from 'commander'
import type { OrganizationChanges } from '../store/tenants/organizations.ts'
import type { OrganizationRow } from '../store/postgres/tables.ts'
import { BILLING_STATES, type BillingState } from '../tenancy/identity.ts'
import { LIMIT_MAX } from '../tenancy/rate-limits.ts'
import { RETENTIONS, type Retention } from '../tenancy/retention.ts'
import { formatAmount } from '../tenancy/money/amount.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { readCreditLimit, setCreditLimit } from './credit/set-credit-limit.ts'
import { registerDeleteOrganization } from './deletion/delete-organization.ts'
import { openAuditLog, openOperator, type Operator } from './operator.ts'
import {
  authorOf,
  byOption,
  choice,
  creditLimitOption,
  jsonOption,
  pageOf,
  parseCount,
  textOption,
  withPage,
  type ByOption,
  type CreditLimitOptions,
  type JsonOption,
  type PageOptions,
} from './options.ts'
import { printNew, printRecord, printTable, type Printable } from './print.ts'

export function registerOrganization(program: Command): void {
  const organization = program
    .command('organization')
    .description('manage organizations (an organization is named by its slug or id)')
  registerCreate(organization)
  registerRead(organization)
  registerChange(organization)
  registerResetLimits(organization)
  registerSignIn(organization)
  registerDeleteOrganization(organization)
}

type CreateOptions = JsonOption &
  ByOption & {
    readonly name?: string
    readonly plan?: string
    readonly retention: Exclude<Retention, 'contributor'>
    readonly owner?: string
  }

function registerCreate(organization: Command): void {
  organization
    .command('create <slug>')
    .description('create an organization with one project named "default"')
    .option('--name <name>', 'display name (default: the slug)')
    .option('--plan <plan>', 'plan from the configuration (default: its default_plan)')
    .addOption(
      choice('--retention <retention>', 'content retention', ['zero', 'standard']).default('zero'),
    )
    .option('--owner <account>', 'account that becomes the owner (email address or id)')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (slug: string, options: CreateOptions) => {
      await using operator = await openOperator()
      const { createOrganization } =
        await import('../platform/organizations/create-organization.ts')
      const { name, plan, retention, owner } = options
      const input = {
        slug,
        retention,
        ...(name !== undefined && { name }),
        ...(plan !== undefined && { plan }),
        ...(owner !== undefined && { owner }),
      }
      const { id } = await operator.act(createOrganization, input, options)
      const { findOrganization } = await import('../store/tenants/organizations.ts')
      printNew(show(operator, await findOrganization(operator.database, id), options), options)
    })
}

function registerRead(organization: Command): void {
  withPage(organization.command('list').description('list organizations, oldest first')).action(
    async (options: PageOptions) => {
      await using operator = await openOperator()
      const { listOrganizations } = await import('../store/tenants/organizations.ts')
      const rows = await listOrganizations(operator.database, pageOf(options))
      const columns = ['id', 'slug', 'name', 'plan', 'retention', 'billing_state', 'version']
      printTable(columns, rows.map(view), options)
    },
  )
  organization
    .command('show <organization>')
    .description('show an organization, with the limits in force')
    .addOption(jsonOption())
    .action(async (reference: string, options: JsonOption) => {
      await using operator = await openOperator()
      const { findOrganization } = await import('../store/tenants/organizations.ts')
      const row = await findOrganization(operator.database, reference)
      printRecord(show(operator, row, options), options)
    })
}

type Limit = number | 'plan'

type ChangeOptions = JsonOption &
  ByOption & {
    readonly name?: string
    readonly plan?: string
    readonly retention?: Retention
    readonly terms?: string
    readonly acceptedBy?: string
    readonly billingState?: BillingState
    readonly suspend?: string
    readonly liftSuspension?: boolean
    readonly requestsPerMinute?: Limit
    readonly requestsPerDay?: Limit
    readonly tokensPerMinute?: Limit
    readonly tokensPerDay?: Limit
  } & CreditLimitOptions

function registerChange(organization: Command): void {
  organization
    .command('change <organization>')
    .description('change an organization; takes effect on the next request')
    .option('--name <name>', 'display name')
    .option('--plan <plan>', 'plan from the configuration')
    .addOption(choice('--retention <retention>', 'content retention', RETENTIONS))
    .option('--terms <version>', 'version of the accepted terms; requires --retention contributor')
    .option(
      '--accepted-by <account>',
      'account that accepted the terms; requires --retention contributor',
    )
    .addOption(
      choice(
        '--billing-state <state>',
        'billing state; exhausted returns 402, conflict returns 409',
        BILLING_STATES,
      ),
    )
    .option('--suspend <reason>', 'refuse its keys and playground with 403; members read why')
    .option('--lift-suspension', 'let a suspended organization go on')
    .addOption(limitOption('--requests-per-minute'))
    .addOption(limitOption('--requests-per-day'))
    .addOption(limitOption('--tokens-per-minute'))
    .addOption(limitOption('--tokens-per-day'))
    .addOption(creditLimitOption())
    .addOption(textOption('--reason <text>', 'why the credit limit is changed, for the audit log'))
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (reference: string, options: ChangeOptions) => {
      const credit = readCreditLimit(options)
      await using operator = await openOperator(credit !== undefined)
      const { changeOrganization } =
        await import('../platform/organizations/change-organization.ts')
      const changes = await readChanges(operator, options)
      if (Object.keys(changes).length === 0 && credit === undefined)
        throw new OperatorError('nothing to change: see --help')
      if (credit !== undefined) await setCreditLimit(operator, reference, credit, options)
      const input = { organization: reference, changes }
      const row = await operator.act(changeOrganization, input, options)
      printRecord(show(operator, row, options), options)
    })
}

function registerResetLimits(organization: Command): void {
  organization
    .command('reset-limits <organization>')
    .description('give an organization its full rate limits of this minute and day again')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (reference: string, options: JsonOption & ByOption) => {
      await using operator = await openOperator()
      const { resetLimits } = await import('../platform/organizations/reset-limits.ts')
      const done = await operator.act(resetLimits, { reference }, options)
      const log = await openAuditLog()
      log.info({ organizationId: done.organization_id, by: authorOf(options) }, 'rate limits reset')
      if (options.json === true) printRecord(done, options)
      else if (done.reset) console.log(`${reference} has its full rate limits again`)
      else console.log(`${reference} has its full rate limits: it had used nothing of them`)
    })
}

function registerSignIn(organization: Command): void {
  organization
    .command('sign-in <organization>')
    .description('change how members sign in, when its owners cannot')
    .option('--no-sso-only', 'let members sign in without SSO again')
    .option('--any-network', 'let members and keys call from anywhere again')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (reference: string, options: SignInOptions) => {
      const { ssoOnly, anyNetwork = false } = options
      if (ssoOnly && !anyNetwork) throw new OperatorError('nothing to change: see --help')
      await using operator = await openOperator()
      const { findOrganization } = await import('../store/tenants/organizations.ts')
      const { liftSsoOnly } = await import('../platform/sign-in/sso/lift-sso-only.ts')
      const { setAllowedNetworks } = await import('../platform/organizations/allowed-networks.ts')
      const { id, slug, sso_only, allowed_networks } = await findOrganization(
        operator.database,
        reference,
      )
      if (!ssoOnly) await operator.act(liftSsoOnly, { organization: id }, options)
      if (anyNetwork)
        await operator.act(setAllowedNetworks, { organization: id, networks: [] }, options)
      printRecord(
        {
          organization: slug,
          ...(!ssoOnly && { sso_only_before: sso_only, sso_only: false }),
          ...(anyNetwork && { allowed_networks_before: allowed_networks.join(', ') }),
        },
        options,
      )
    })
}

type SignInOptions = JsonOption &
  ByOption & { readonly ssoOnly: boolean; readonly anyNetwork?: boolean }

function limitOption(flag: string): Option {
  return new Option(
    `${flag} <count|plan>`,
    'override of the plan; "plan" removes the override',
  ).argParser((text): Limit => (text === 'plan' ? 'plan' : parseCount(text, 0, LIMIT_MAX)))
}

async function readChanges(
  operator: Operator,
  options: ChangeOptions,
): Promise<OrganizationChanges> {
  const limits = readLimits(options)
  return {
    ...(options.name !== undefined && { name: options.name }),
    ...(options.plan !== undefined && { plan: options.plan }),
    ...(options.billingState !== undefined && { billingState: options.billingState }),
    ...(options.suspend !== undefined && { suspendedReason: options.suspend }),
    ...(options.liftSuspension === true && { suspendedReason: null }),
    ...(options.retention !== undefined && { retention: options.retention }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(await readTerms(operator, options)),
  }
}

function readLimits(options: ChangeOptions): NonNullable<OrganizationChanges['limits']> {
  const dimensions = [
    'requestsPerMinute',
    'requestsPerDay',
    'tokensPerMinute',
    'tokensPerDay',
  ] as const
  return Object.fromEntries(
    dimensions
      .filter((dimension) => options[dimension] !== undefined)
      .map((dimension) => {
        const limit = options[dimension]
        return [dimension, typeof limit === 'number' ? limit : null]
      }),
  )
}

async function readTerms(
  operator: Operator,
  options: ChangeOptions,
): Promise<Pick<OrganizationChanges, 'terms'>> {
  const { retention, terms, acceptedBy } = options
  if (terms === undefined && acceptedBy === undefined) {
    if (retention !== 'contributor') return {}
    throw new OperatorError('--retention contributor requires --terms and --accepted-by')
  }
  if (terms === undefined || acceptedBy === undefined || retention !== 'contributor') {
    throw new OperatorError(
      '--terms and --accepted-by require each other and --retention contributor',
    )
  }
  const { findAccount } = await import('../store/tenants/accounts.ts')
  const account = await findAccount(operator.database, acceptedBy)
  return { terms: { version: terms, acceptedByAccountId: account.id } }
}

function view(row: OrganizationRow): Printable {
  const limit = row.credit_limit
  return { ...row, credit_limit: limit === null ? null : formatAmount(limit) }
}

const LIMITS = [
  'requests_per_minute',
  'requests_per_day',
  'tokens_per_minute',
  'tokens_per_day',
] as const

/** For people with the limits in force; JSON has the overrides, which are null without one. */
function show({ config }: Operator, row: OrganizationRow, { json }: JsonOption): Printable {
  if (json === true) return view(row)
  const planned = config.plans[row.plan]?.limits
  const limits = LIMITS.map((name) => {
    const [own, ofPlan] = [row[name], planned?.[name]]
    if (own !== null) return [name, `${own} (override; plan: ${ofPlan ?? 'unknown'})`]
    return [name, ofPlan === undefined ? null : `${ofPlan} (plan)`]
  })
  return { ...view(row), ...(Object.fromEntries(limits) as Printable) }
}
