import { randomUUID } from 'node:crypto'
import { InvalidArgumentError, Option, type Command } from 'commander'
import type { Balance } from '../store/ledger/double-entry.ts'
import type { OrganizationRow, TransferRow } from '../store/postgres/tables.ts'
import { creditUsed } from '../tenancy/funds.ts'
import { formatAmount, parseAmount } from '../tenancy/money/amount.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { parseUtc } from '../lib/parse-utc.ts'
import { openTreasurer } from './operator.ts'
import {
  byOption,
  jsonOption,
  pageOf,
  textOption,
  withPage,
  type JsonOption,
  type PageOptions,
} from './options.ts'
import { printRecord, printTable, type Printable } from './print.ts'

export function registerBalance(program: Command): void {
  const balance = program
    .command('balance')
    .description('show and change the balances of organizations')
  registerRead(balance)
  registerTransfer(balance, 'grant', 'add an amount such as 12.50 to the balance')
  registerTransfer(balance, 'adjustment', 'correct the balance by an amount such as -12.50')
}

function registerRead(balance: Command): void {
  balance
    .command('show <organization>')
    .description('show the balance (usage not yet posted is excluded)')
    .addOption(jsonOption())
    .action(async (reference: string, options: JsonOption) => {
      await using operator = await openTreasurer()
      const { balanceOf } = await import('../store/ledger/double-entry.ts')
      const { findOrganization } = await import('../store/tenants/organizations.ts')
      const organization = await findOrganization(operator.database, reference)
      const { billing } = operator.config.plans[organization.plan] ?? { billing: null }
      const found = await balanceOf(operator.database, organization.id)
      const { currency } = operator.config
      const credit = viewCredit(organization, found)
      printRecord({ ...view(organization, found, currency), billing, ...credit }, options)
    })
  withPage(
    balance
      .command('history <organization>')
      .description('list what has changed the balance, except usage, newest first'),
  ).action(async (reference: string, options: PageOptions) => {
    await using operator = await openTreasurer()
    const { listFundsChanges } = await import('../store/ledger/double-entry.ts')
    const { findOrganization } = await import('../store/tenants/organizations.ts')
    const { id } = await findOrganization(operator.database, reference)
    const rows = await listFundsChanges(operator.database, id, pageOf(options))
    const columns = ['id', 'made_at', 'kind', 'amount', 'made_by', 'reason', 'reference']
    printTable(columns, rows.map(viewTransfer), options)
  })
}

type TransferOptions = JsonOption & {
  readonly reason: string
  readonly by?: string
  readonly reference?: string
  /** Of a grant. */
  readonly expires?: Date
}

const VERBS = { grant: 'grant', adjustment: 'adjust' } as const

function registerTransfer(
  balance: Command,
  kind: 'grant' | 'adjustment',
  description: string,
): void {
  const command = balance
    .command(`${VERBS[kind]} <organization> <amount>`)
    .description(description)
    .addOption(
      textOption('--reason <text>', 'reason recorded in the history').makeOptionMandatory(),
    )
    .addOption(byOption())
    .addOption(
      textOption(
        '--reference <text>',
        'idempotency key: repeating the command with the same key has no effect',
      ),
    )
    .addOption(jsonOption())
  if (kind === 'grant')
    command.addOption(
      new Option(
        '--expires <time>',
        'UTC day or time, an hour after which what is left of it is taken back (default: never)',
      ).argParser(parseExpiry),
    )
  command.action(async (organization: string, text: string, options: TransferOptions) => {
    const amount = readAmount(text, kind)
    await give(organization, amount, kind, options)
  })
}

/** No duration: a command that is repeated would ask for another time. */
function parseExpiry(text: string): Date {
  const timeMs = parseUtc(text)
  if (timeMs !== undefined && timeMs > Date.now()) return new Date(timeMs)
  throw new InvalidArgumentError('Must be in the future: 2027-01-31 or 2027-01-31T08:00Z.')
}

async function give(
  name: string,
  amount: number,
  kind: 'grant' | 'adjustment',
  options: TransferOptions,
): Promise<void> {
  await using operator = await openTreasurer()
  const { adjustFunds, grantFunds } = await import('../platform/billing/change-funds.ts')
  const { findOrganization } = await import('../store/tenants/organizations.ts')
  const organization = await findOrganization(operator.database, name)
  const reference = options.reference ?? randomUUID()
  const { reason, expires: expiresAt } = options
  const input = { organization: organization.id, amount, reference, reason, expiresAt }
  try {
    const change = kind === 'grant' ? grantFunds : adjustFunds
    const value = await operator.act(change, input, options)
    const { repeated, transfer } = value
    const shown = { ...view(organization, value, operator.config.currency), repeated }
    const expiry = expiresAt && { expires_at: expiresAt.toISOString() }
    printRecord({ ...shown, reference, made_by: transfer.made_by, ...expiry }, options)
  } catch (error) {
    // The transfer may be stored. The same reference makes a retry safe.
    const { isUnavailable } = await import('../store/postgres/postgres.ts')
    if (error instanceof Error && (error instanceof OperatorError || isUnavailable(error))) {
      throw new OperatorError(`${error.message}; retry with --reference ${reference}`, {
        cause: error,
      })
    }
    throw error
  }
}

function readAmount(text: string, kind: 'grant' | 'adjustment'): number {
  const amount = parseAmount(text)
  if (amount === undefined) {
    throw new OperatorError('the amount must be a number such as 12.50, with at most 6 decimals')
  }
  if (amount === 0) throw new OperatorError('the amount must not be 0')
  if (amount < 0 && kind === 'grant') {
    throw new OperatorError(
      'the amount of a grant must be positive: use headrace balance adjust to reduce a balance',
    )
  }
  return amount
}

function view({ slug }: OrganizationRow, balance: Balance, currency: string): Printable {
  return {
    organization: slug,
    currency,
    granted: formatAmount(balance.granted),
    spent: formatAmount(balance.spent),
    balance: formatAmount(balance.balance),
  }
}

function viewCredit({ credit_limit: limit }: OrganizationRow, balance: Balance): Printable {
  if (limit === null) return {}
  const used = creditUsed(balance, balance.spent)
  return { credit_limit: formatAmount(limit), credit_used: formatAmount(used) }
}

function viewTransfer(row: TransferRow): Printable {
  const { id, made_at, kind, made_by, reason, reference } = row
  const taken = row.debit_account.startsWith('funds:')
  const amount = formatAmount(taken ? -row.amount : row.amount)
  return { id, made_at, kind, amount, made_by, reason, reference }
}
