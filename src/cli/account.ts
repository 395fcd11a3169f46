import type { Command } from 'commander'
import type { AccountRow } from '../store/postgres/tables.ts'
import { ACCOUNT_STATES } from '../tenancy/identity.ts'
import type { AccountState } from '../tenancy/identity.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { openOperator } from './operator.ts'
import { choice, jsonOption, pageOf, withPage } from './options.ts'
import type { JsonOption, PageOptions } from './options.ts'
import { printRecord, printTable } from './print.ts'
import type { Printable } from './print.ts'

export function registerAccount(program: Command): void {
  const account = program
    .command('account')
    .description('manage accounts (an account is named by its e-mail address or id)')
  registerCreate(account)
  registerRead(account)
  registerChange(account)
}

function registerCreate(account: Command): void {
  account
    .command('create <email>')
    .description('create an account')
    .addOption(
      choice(
        '--state <state>',
        'state of the account; only active accounts may use the API',
        ACCOUNT_STATES,
      ).default('active'),
    )
    .option('--unregistered', 'mark the registration as unfinished (no playground access)')
    .addOption(jsonOption())
    .action(
      async (
        email: string,
        options: JsonOption & { state: AccountState; unregistered?: boolean },
      ) => {
        await using operator = await openOperator()
        const { createAccount } = await import('../store/tenants/accounts.ts')
        const registered = options.unregistered !== true
        const row = await createAccount(operator.database, {
          email,
          state: options.state,
          registered,
        })
        printRecord(view(row), options)
      },
    )
}

function registerRead(account: Command): void {
  withPage(account.command('list').description('list accounts, oldest first')).action(
    async (options: PageOptions) => {
      await using operator = await openOperator()
      const { listAccounts } = await import('../store/tenants/accounts.ts')
      const rows = await listAccounts(operator.database, pageOf(options))
      printTable(['id', 'email', 'state', 'registered_at'], rows.map(view), options)
    },
  )
  account
    .command('show <account>')
    .description('show an account')
    .addOption(jsonOption())
    .action(async (reference: string, options: JsonOption) => {
      await using operator = await openOperator()
      const { findAccount } = await import('../store/tenants/accounts.ts')
      printRecord(view(await findAccount(operator.database, reference)), options)
    })
}

function registerChange(account: Command): void {
  account
    .command('change <account>')
    .description('change an account; takes effect on the next request')
    .addOption(choice('--state <state>', 'state of the account', ACCOUNT_STATES))
    .option('--registered', 'mark the registration as finished')
    .option('--no-registered', 'mark the registration as unfinished')
    .addOption(jsonOption())
    .action(
      async (
        reference: string,
        options: JsonOption & { state?: AccountState; registered?: boolean },
      ) => {
        if (options.state === undefined && options.registered === undefined) {
          throw new OperatorError(
            'nothing to change: specify --state, --registered or --no-registered',
          )
        }
        await using operator = await openOperator()
        const { changeAccount, findAccount } = await import('../store/tenants/accounts.ts')
        const { id } = await findAccount(operator.database, reference)
        const { value, raised } = await changeAccount(operator.database, id, {
          ...(options.state !== undefined && { state: options.state }),
          ...(options.registered !== undefined && { registered: options.registered }),
        })
        await operator.raise(raised)
        printRecord(view(value), options)
      },
    )
}

function view(row: AccountRow): Printable {
  return {
    id: row.id,
    email: row.email,
    state: row.state,
    registered_at: row.registered_at,
    created_at: row.created_at,
  }
}
