import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import type { ProjectRow } from '../store/postgres/tables.ts'
import { formatAmount, parseAmount } from '../tenancy/amount.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { openOperator } from './operator.ts'
import { jsonOption, organizationOption, pageOf, withPage } from './options.ts'
import type { JsonOption, PageOptions } from './options.ts'
import { printRecord, printTable } from './print.ts'
import type { Printable } from './print.ts'

type SpendingLimit = number | 'none'

type ChangeOptions = ProjectOptions & { readonly spendingLimit?: SpendingLimit }

type ProjectOptions = JsonOption & { readonly organization: string }

export function registerProject(program: Command): void {
  const project = program
    .command('project')
    .description('manage the projects of an organization (a project is named by its name or id)')
  project
    .command('create <name>')
    .description('create a project')
    .addOption(organizationOption())
    .addOption(jsonOption())
    .action(async (name: string, options: ProjectOptions) => {
      await using operator = await openOperator()
      const { findOrganization } = await import('../store/tenants/organizations.ts')
      const { createProject } = await import('../store/tenants/projects.ts')
      const organization = await findOrganization(operator.database, options.organization)
      printRecord(view(await createProject(operator.database, organization.id, name)), options)
    })
  withPage(project.command('list').description('list projects, including archived ones'))
    .addOption(organizationOption())
    .action(async (options: PageOptions & ProjectOptions) => {
      await using operator = await openOperator()
      const { findOrganization } = await import('../store/tenants/organizations.ts')
      const { listProjects } = await import('../store/tenants/projects.ts')
      const organization = await findOrganization(operator.database, options.organization)
      const rows = await listProjects(operator.database, organization.id, pageOf(options))
      printTable(['id', 'name', 'archived_at', 'spending_limit'], rows.map(view), options)
    })
  registerChange(project)
  project
    .command('archive <project>')
    .description('archive a project permanently; its API keys stop working on the next request')
    .addOption(organizationOption())
    .addOption(jsonOption())
    .action(async (reference: string, options: ProjectOptions) => {
      await using operator = await openOperator()
      const { findOrganization } = await import('../store/tenants/organizations.ts')
      const { archiveProject, findProject } = await import('../store/tenants/projects.ts')
      const organization = await findOrganization(operator.database, options.organization)
      const found = await findProject(operator.database, organization.id, reference)
      const { value, raised } = await archiveProject(operator.database, found)
      await operator.raise(raised)
      printRecord(view(value), options)
    })
}

function registerChange(project: Command): void {
  project
    .command('change <project>')
    .description('change a project; takes effect on the next request')
    .addOption(organizationOption())
    .addOption(
      new Option(
        '--spending-limit <amount|none>',
        'monthly spending limit (calendar month in UTC), in units of the currency',
      ).argParser(parseSpendingLimit),
    )
    .addOption(jsonOption())
    .action(async (reference: string, options: ChangeOptions) => {
      const { spendingLimit } = options
      if (spendingLimit === undefined) throw new OperatorError('nothing to change: see --help')
      await using operator = await openOperator()
      const { findOrganization } = await import('../store/tenants/organizations.ts')
      const { changeProject, findProject } = await import('../store/tenants/projects.ts')
      const organization = await findOrganization(operator.database, options.organization)
      const found = await findProject(operator.database, organization.id, reference)
      const changes = { spendingLimit: spendingLimit === 'none' ? null : spendingLimit }
      const { value, raised } = await changeProject(operator.database, found, changes)
      await operator.raise(raised)
      printRecord(view(value), options)
    })
}

function parseSpendingLimit(text: string): SpendingLimit {
  if (text === 'none') return 'none'
  const amount = parseAmount(text)
  if (amount !== undefined && amount >= 0) return amount
  throw new InvalidArgumentError('Must be an amount such as 50 or 12.50, or none.')
}

function view(row: ProjectRow): Printable {
  const limit = row.spending_limit
  return { ...row, spending_limit: limit === null ? null : formatAmount(limit) }
}
