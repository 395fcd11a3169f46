import type { Command } from 'commander'
import type { ProjectRow } from '../store/tables.ts'
import { openOperator } from './operator.ts'
import { jsonOption, organizationOption, pageOf, withPage } from './options.ts'
import type { JsonOption, PageOptions } from './options.ts'
import { printRecord, printTable } from './print.ts'
import type { Printable } from './print.ts'

type ProjectOptions = JsonOption & { readonly organization: string }

export function registerProject(program: Command): void {
  const project = program
    .command('project')
    .description('what the API keys of an organization are created for; named by name or id')
  project
    .command('create <name>')
    .description('create a project')
    .addOption(organizationOption())
    .addOption(jsonOption())
    .action(async (name: string, options: ProjectOptions) => {
      await using operator = await openOperator()
      const { findOrganization } = await import('../store/organizations.ts')
      const { createProject } = await import('../store/projects.ts')
      const organization = await findOrganization(operator.database, options.organization)
      printRecord(view(await createProject(operator.database, organization.id, name)), options)
    })
  withPage(project.command('list').description('list projects, archived ones too'))
    .addOption(organizationOption())
    .action(async (options: PageOptions & ProjectOptions) => {
      await using operator = await openOperator()
      const { findOrganization } = await import('../store/organizations.ts')
      const { listProjects } = await import('../store/projects.ts')
      const organization = await findOrganization(operator.database, options.organization)
      const rows = await listProjects(operator.database, organization.id, pageOf(options))
      printTable(['id', 'name', 'archived_at'], rows.map(view), options)
    })
  project
    .command('archive <project>')
    .description('archive a project for good; its API keys stop working at the next request')
    .addOption(organizationOption())
    .addOption(jsonOption())
    .action(async (reference: string, options: ProjectOptions) => {
      await using operator = await openOperator()
      const { findOrganization } = await import('../store/organizations.ts')
      const { archiveProject, findProject } = await import('../store/projects.ts')
      const organization = await findOrganization(operator.database, options.organization)
      const found = await findProject(operator.database, organization.id, reference)
      const { value, raised } = await archiveProject(operator.database, found)
      await operator.raise(raised)
      printRecord(view(value), options)
    })
}

function view(row: ProjectRow): Printable {
  return { ...row }
}
