import { Option } from 'commander'
import type { Command } from 'commander'
import type { OrganizationChanges } from '../store/tenants/organizations.ts'
import type { OrganizationRow } from '../store/postgres/tables.ts'
import { BILLING_STATES } from '../tenancy/identity.ts'
import type { BillingState } from '../tenancy/identity.ts'
import { LIMIT_MAX } from '../tenancy/rate-limits.ts'
import { RETENTIONS } from '../tenancy/retention.ts'
import type { Retention } from '../tenancy/retention.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { openOperator } from './operator.ts'
import type { Operator } from './operator.ts'
import { choice, jsonOption, pageOf, parseCount, withPage } from './options.ts'
import type { JsonOption, PageOptions } from './options.ts'
import { printRecord, printTable } from './print.ts'
import type { Printable } from './print.ts'

export function registerOrganization(program: Command): void {
  const organization = program
    .command('organization')
    .description('who owns projects and keys, and is limited and billed; named by slug or id')
  registerCreate(organization)
  registerRead(organization)
  registerChange(organization)
}

type CreateOptions = JsonOption & {
  readonly name?: string
  readonly plan?: string
  readonly retention: Exclude<Retention, 'contributor'>
  readonly owner?: string
}

function registerCreate(organization: Command): void {
  organization
    .command('create <slug>')
    .description('create an organization with one project called default')
    .option('--name <name>', 'name to show; the slug if not given')
    .option('--plan <plan>', 'name of a plan in the configuration; its default plan if not given')
    .addOption(
      choice('--retention <retention>', 'what is kept of the content of requests', [
        'zero',
        'standard',
      ]).default('zero'),
    )
    .option('--owner <account>', 'account that becomes the owner')
    .addOption(jsonOption())
    .action(async (slug: string, options: CreateOptions) => {
      await using operator = await openOperator()
      const { findAccount } = await import('../store/tenants/accounts.ts')
      const { createOrganization } = await import('../store/tenants/organizations.ts')
      const plan = options.plan ?? operator.config.default_plan
      refuseUnknownPlan(operator, plan)
      const owner =
        options.owner === undefined ? null : await findAccount(operator.database, options.owner)
      const row = await createOrganization(operator.database, {
        slug,
        name: options.name ?? slug,
        plan,
        retention: options.retention,
        ownerAccountId: owner?.id ?? null,
      })
      printRecord(view(row), options)
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
    .description('show one organization; a limit of "-" is the one of its plan')
    .addOption(jsonOption())
    .action(async (reference: string, options: JsonOption) => {
      await using operator = await openOperator()
      const { findOrganization } = await import('../store/tenants/organizations.ts')
      printRecord(view(await findOrganization(operator.database, reference)), options)
    })
}

type Limit = number | 'plan'

type ChangeOptions = JsonOption & {
  readonly name?: string
  readonly plan?: string
  readonly retention?: Retention
  readonly terms?: string
  readonly acceptedBy?: string
  readonly billingState?: BillingState
  readonly requestsPerMinute?: Limit
  readonly requestsPerDay?: Limit
  readonly tokensPerMinute?: Limit
  readonly tokensPerDay?: Limit
}

function registerChange(organization: Command): void {
  organization
    .command('change <organization>')
    .description('change an organization; it holds for all its callers from the next request on')
    .option('--name <name>', 'name to show')
    .option('--plan <plan>', 'name of a plan in the configuration')
    .addOption(choice('--retention <retention>', 'what is kept of the content', RETENTIONS))
    .option('--terms <version>', 'version of the terms accepted; with --retention contributor')
    .option('--accepted-by <account>', 'account that accepted them; with --retention contributor')
    .addOption(
      choice(
        '--billing-state <state>',
        'exhausted answers 402, conflict answers 409',
        BILLING_STATES,
      ),
    )
    .addOption(limitOption('--requests-per-minute'))
    .addOption(limitOption('--requests-per-day'))
    .addOption(limitOption('--tokens-per-minute'))
    .addOption(limitOption('--tokens-per-day'))
    .addOption(jsonOption())
    .action(async (reference: string, options: ChangeOptions) => {
      await using operator = await openOperator()
      const { changeOrganization, findOrganization } =
        await import('../store/tenants/organizations.ts')
      const changes = await readChanges(operator, options)
      if (Object.keys(changes).length === 0)
        throw new OperatorError('nothing to change: see --help')
      const { id } = await findOrganization(operator.database, reference)
      const { value, raised } = await changeOrganization(operator.database, id, changes)
      await operator.raise(raised)
      printRecord(view(value), options)
    })
}

function limitOption(flag: string): Option {
  return new Option(
    `${flag} <count|plan>`,
    'limit of its own; plan returns to the one of its plan',
  ).argParser((text): Limit => (text === 'plan' ? 'plan' : parseCount(text, 0, LIMIT_MAX)))
}

async function readChanges(
  operator: Operator,
  options: ChangeOptions,
): Promise<OrganizationChanges> {
  if (options.plan !== undefined) refuseUnknownPlan(operator, options.plan)
  const limits = readLimits(options)
  return {
    ...(options.name !== undefined && { name: options.name }),
    ...(options.plan !== undefined && { plan: options.plan }),
    ...(options.billingState !== undefined && { billingState: options.billingState }),
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
    throw new OperatorError('--retention contributor needs --terms and --accepted-by')
  }
  if (terms === undefined || acceptedBy === undefined || retention !== 'contributor') {
    throw new OperatorError('--terms and --accepted-by go together, with --retention contributor')
  }
  const { findAccount } = await import('../store/tenants/accounts.ts')
  const account = await findAccount(operator.database, acceptedBy)
  return { terms: { version: terms, acceptedByAccountId: account.id } }
}

/** A plan that is not in the configuration would shut the organization out. */
function refuseUnknownPlan(operator: Operator, plan: string): void {
  if (Object.hasOwn(operator.config.plans, plan)) return
  const known = Object.keys(operator.config.plans).join(', ')
  throw new OperatorError(`the configuration has no plan ${JSON.stringify(plan)}, only: ${known}`)
}

function view(row: OrganizationRow): Printable {
  return { ...row }
}
