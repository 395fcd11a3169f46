import type { Command } from 'commander'
import type { ProjectRow } from '../store/postgres/tables.ts'
import { formatAmount } from '../tenancy/money/amount.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { openOperator, openTreasurer, type Operator } from './operator.ts'
import {
  byOption,
  jsonOption,
  organizationOption,
  pageOf,
  spendingLimitOption,
  unless,
  withPage,
  type ByOption,
  type JsonOption,
  type PageOptions,
  type SpendingLimit,
} from './options.ts'
import { printRecord, printTable, type Printable } from './print.ts'

type ChangeOptions = ProjectOptions &
  ByOption & { readonly name?: string; readonly spendingLimit?: SpendingLimit }

type ProjectOptions = JsonOption & { readonly organization: string }

export function registerProject(program: Command): void {
  const project = program
    .command('project')
    .description('manage the projects of an organization (a project is named by its name or id)')
  project
    .command('create <name>')
    .description('create a project')
    .addOption(organizationOption())
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (name: string, options: ProjectOptions & ByOption) => {
      await using operator = await openOperator()
      const { createProject } = await import('../platform/projects/create-project.ts')
      const { organization } = options
      const { id } = await operator.act(createProject, { organization, name }, options)
      await print(operator, id, options)
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
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (reference: string, options: ProjectOptions & ByOption) => {
      await using operator = await openOperator()
      const { archiveProject } = await import('../platform/projects/archive-project.ts')
      const input = { organization: options.organization, project: reference }
      const { id } = await operator.act(archiveProject, input, options)
      await print(operator, id, options)
    })
}

function registerChange(project: Command): void {
  project
    .command('change <project>')
    .description('change a project; takes effect on the next request')
    .addOption(organizationOption())
    .option('--name <name>', 'display name')
    .addOption(spendingLimitOption())
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (reference: string, options: ChangeOptions) => {
      const { organization, name, spendingLimit } = options
      if (name === undefined && spendingLimit === undefined)
        throw new OperatorError('nothing to change: see --help')
      await using operator = await openTreasurer()
      const { changeProject } = await import('../platform/projects/change-project.ts')
      const input = {
        organization,
        project: reference,
        ...(name !== undefined && { name }),
        ...(spendingLimit !== undefined && { spending_limit: unless(spendingLimit, 'none') }),
      }
      const { id } = await operator.act(changeProject, input, options)
      await print(operator, id, options)
    })
}

async function print(operator: Operator, id: string, options: ProjectOptions): Promise<void> {
  const { findOrganization } = await import('../store/tenants/organizations.ts')
  const { findProject } = await import('../store/tenants/projects.ts')
  const organization = await findOrganization(operator.database, options.organization)
  printRecord(view(await findProject(operator.database, organization.id, id)), options)
}

function view(row: ProjectRow): Printable {
  const limit = row.spending_limit
  return { ...row, spending_limit: limit === null ? null : formatAmount(limit) }
}
