import type { Command } from 'commander'
import { OperatorError } from '../../lib/operator-error.ts'
import { openOperator } from '../operator.ts'
import { byOption, jsonOption, type ByOption, type JsonOption } from '../options.ts'
import { printRecord } from '../print.ts'

export function registerDeleteOrganization(organization: Command): void {
  organization
    .command('delete <organization>')
    .description('delete an organization for good; its ledger, usage and audit log stay')
    .option('--forfeit-balance', 'what is left of its balance is forfeited')
    .option('--yes', 'confirm')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(
      async (
        reference: string,
        options: JsonOption &
          ByOption & { readonly yes?: boolean; readonly forfeitBalance?: boolean },
      ) => {
        await using operator = await openOperator()
        const { findOrganization } = await import('../../store/tenants/organizations.ts')
        const { id, slug } = await findOrganization(operator.database, reference)
        if (options.yes !== true)
          throw new OperatorError(`all keys of ${slug} stop working for good: confirm with --yes`)
        const { deleteOrganization } =
          await import('../../platform/deletion/delete-organization.ts')
        const forfeited = options.forfeitBalance === true && { forfeit_balance: true }
        await operator.act(deleteOrganization, { organization: id, ...forfeited }, options)
        printRecord({ id, slug, deleted: true }, options)
      },
    )
}
