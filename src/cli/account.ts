import type { Command } from 'commander'
import type { PasswordLink } from '../platform/sign-in/accounts/password-links.ts'
import type { UseCase } from '../platform/use-case/use-case.ts'
import type { AccountRow } from '../store/postgres/tables.ts'
import { ACCOUNT_STATES, type AccountState } from '../tenancy/identity.ts'
import { PLATFORM_ROLES, type PlatformRole } from '../tenancy/role.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { openOperator } from './operator.ts'
import {
  byOption,
  choice,
  jsonOption,
  pageOf,
  textOption,
  withPage,
  type ByOption,
  type JsonOption,
  type PageOptions,
} from './options.ts'
import { printRecord, printTable, type Printable } from './print.ts'

export function registerAccount(program: Command): void {
  const account = program
    .command('account')
    .description('manage accounts (an account is named by its email address or id)')
  registerCreate(account)
  registerResetLink(account)
  registerResetFactors(account)
  registerRead(account)
  registerChange(account)
  registerAdmit(account)
  registerDelete(account)
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
    .option('--operator', 'make it an operator of the service and print a link for the password')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(
      async (
        email: string,
        options: JsonOption &
          ByOption & { state: AccountState; unregistered?: boolean; operator?: boolean },
      ) => {
        if (options.operator === true) {
          const { createOperator } = await import('../platform/sign-in/accounts/password-links.ts')
          return printLink(createOperator, { email }, options)
        }
        await using operator = await openOperator()
        const { createAccount } = await import('../platform/sign-in/accounts/create-account.ts')
        const { state } = options
        const registered = options.unregistered !== true
        const row = await operator.act(createAccount, { email, state, registered }, options)
        printRecord(view(row), options)
      },
    )
}

function registerResetLink(account: Command): void {
  account
    .command('reset-link <account>')
    .description('print a link that sets a new password; it works once, within 24 hours')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (reference: string, options: JsonOption & ByOption) => {
      const { createResetLink } = await import('../platform/sign-in/accounts/password-links.ts')
      await printLink(createResetLink, { account: reference }, options)
    })
}

function registerResetFactors(account: Command): void {
  account
    .command('reset-factors <account>')
    .description('remove passkeys, authenticator app and recovery codes, and sign the account out')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (reference: string, options: JsonOption & ByOption) => {
      await using operator = await openOperator()
      const { resetFactors } = await import('../platform/operator/accounts/reset-factors.ts')
      const { account: row, ...done } = await operator.act(
        resetFactors,
        { account: reference },
        options,
      )
      const removed = { passkeys_removed: done.passkeys, app_removed: done.totp }
      printRecord({ ...removed, sessions_ended: done.sessionsEnded, ...view(row) }, options)
    })
}

async function printLink<Input>(
  useCase: UseCase<Input, PasswordLink>,
  input: Input,
  options: JsonOption & ByOption,
): Promise<void> {
  await using operator = await openOperator()
  const { account, link } = await operator.act(useCase, input, options)
  printRecord({ link, ...view(account) }, options)
}

function registerRead(account: Command): void {
  withPage(account.command('list').description('list accounts, oldest first'))
    .addOption(choice('--state <state>', 'only accounts in this state', ACCOUNT_STATES))
    .action(async (options: PageOptions & { state?: AccountState }) => {
      await using operator = await openOperator()
      const { listAccounts } = await import('../store/tenants/accounts.ts')
      const rows = await listAccounts(operator.database, pageOf(options), options.state)
      printTable(['id', 'email', 'state', 'registered_at'], rows.map(view), options)
    })
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

const NO_ROLE = 'none'

type ChangeOptions = JsonOption &
  ByOption & {
    readonly state?: AccountState
    readonly registered?: boolean
    readonly platformRole?: PlatformRole | typeof NO_ROLE
  }

function registerChange(account: Command): void {
  account
    .command('change <account>')
    .description('change an account; takes effect on the next request')
    .addOption(choice('--state <state>', 'state of the account', ACCOUNT_STATES))
    .option('--registered', 'mark the registration as finished')
    .option('--no-registered', 'mark the registration as unfinished')
    .addOption(
      choice('--platform-role <role>', 'role in the service; ends all sessions', [
        ...PLATFORM_ROLES,
        NO_ROLE,
      ]),
    )
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (reference: string, options: ChangeOptions) => {
      const { state, registered, platformRole } = options
      if (state === undefined && registered === undefined && platformRole === undefined)
        throw new OperatorError('nothing to change: see --help')
      await using operator = await openOperator()
      const { changeAccount } = await import('../platform/sign-in/accounts/change-account.ts')
      const input = {
        account: reference,
        ...(state !== undefined && { state }),
        ...(registered !== undefined && { registered }),
        ...(platformRole !== undefined && {
          platformRole: platformRole === NO_ROLE ? null : platformRole,
        }),
      }
      printRecord(view(await operator.act(changeAccount, input, options)), options)
    })
}

/** As many as one call of the management API may name. */
const ADMITTED_MAX = 100

function registerAdmit(account: Command): void {
  account
    .command('admit <accounts...>')
    .description(`admit up to ${ADMITTED_MAX} accounts from the waiting list and email them`)
    .addOption(textOption('--note <text>', 'reason recorded in the audit log'))
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (names: string[], options: JsonOption & ByOption & { note?: string }) => {
      if (names.length > ADMITTED_MAX)
        throw new OperatorError(`name at most ${ADMITTED_MAX} accounts at once`)
      await using operator = await openOperator()
      const { findAccount } = await import('../store/tenants/accounts.ts')
      const { admitAccounts } = await import('../platform/operator/accounts/admit-accounts.ts')
      const ids: string[] = []
      for (const name of names) ids.push((await findAccount(operator.database, name)).id)
      const { note } = options
      const input = { ids, ...(note !== undefined && { note }) }
      const { admitted, skipped } = await operator.act(admitAccounts, input, options)
      printTable(['id', 'email', 'state'], admitted, options)
      if (skipped.length > 0)
        throw new OperatorError(`not on the waiting list: ${skipped.join(', ')}`)
    })
}

function registerDelete(account: Command): void {
  account
    .command('delete <account>')
    .description('delete an account for good; what remains of it names nobody')
    .option('--yes', 'confirm')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(
      async (reference: string, options: JsonOption & ByOption & { readonly yes?: boolean }) => {
        await using operator = await openOperator()
        const { findAccount } = await import('../store/tenants/accounts.ts')
        const { id, email } = await findAccount(operator.database, reference)
        if (options.yes !== true)
          throw new OperatorError(
            `${email} loses everything, and keys that belong to this person stop: ` +
              'confirm with --yes',
          )
        const { deleteAccount } = await import('../platform/deletion/delete-account.ts')
        await operator.act(deleteAccount, { account: id }, options)
        printRecord({ id, deleted: true }, options)
      },
    )
}

function view(row: AccountRow): Printable {
  return {
    id: row.id,
    email: row.email,
    state: row.state,
    platform_role: row.platform_role,
    registered_at: row.registered_at,
    created_at: row.created_at,
  }
}
