import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { PAYMENT_STATES, type PaymentState } from '../../contract/payments/payment-states.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { PaymentRow } from '../../store/postgres/payment-tables.ts'
import { formatAmount } from '../../tenancy/money/amount.ts'
import { openTreasurer, type Operator } from '../operator.ts'
import {
  choice,
  jsonOption,
  pageOf,
  withPage,
  type JsonOption,
  type PageOptions,
} from '../options.ts'
import { printRecord, printTable, type Printable } from '../print.ts'

/** How long `check` waits for a console that reads the payment. */
const READ_WITHIN_MS = 20_000
const POLL_MS = 250

export function registerPayment(program: Command): void {
  const payment = program.command('payment').description('show card payments of organizations')
  registerList(payment)
  payment
    .command('show <payment>')
    .description('show a payment with its ids at the provider')
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption) => {
      await using operator = await openTreasurer()
      printRecord(await viewWhole(operator, await find(operator, id)), options)
    })
  payment
    .command('check <payment>')
    .description('have a console process check a payment with the provider now')
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption) => {
      await using operator = await openTreasurer()
      printRecord(
        await viewWhole(operator, await check(operator, await find(operator, id))),
        options,
      )
    })
}

type ListOptions = PageOptions & { readonly organization?: string; readonly state?: PaymentState }

function registerList(payment: Command): void {
  withPage(
    payment
      .command('list')
      .description('list payments, newest first')
      .option('--organization <organization>', 'slug or id; default: all')
      .addOption(choice('--state <state>', 'only those in this state', PAYMENT_STATES)),
  ).action(async (options: ListOptions) => {
    await using operator = await openTreasurer()
    const { findOrganization } = await import('../../store/tenants/organizations.ts')
    const { listPayments } = await import('../../store/payments/list-payments.ts')
    const { organization, state } = options
    const found =
      organization === undefined
        ? undefined
        : await findOrganization(operator.database, organization)
    const search = { organizationId: found?.id, state }
    const rows = await listPayments(operator.database, search, pageOf(options))
    const columns = ['id', 'created_at', 'organization', 'kind', 'state', 'amount', 'currency']
    printTable(
      columns,
      rows.map((row) => view(row, row.slug)),
      options,
    )
  })
}

async function find({ database }: Operator, id: string): Promise<PaymentRow> {
  const { findPayment } = await import('../../store/payments/payments.ts')
  const row = await findPayment(database, id)
  if (row === undefined) throw new OperatorError(`payment ${JSON.stringify(id)} not found`)
  return row
}

/** Only consoles have the provider's key, so this command asks one of them. */
async function check(operator: Operator, before: PaymentRow): Promise<PaymentRow> {
  const { orderPaymentReading } = await import('../../store/payments/payment-queue.ts')
  await orderPaymentReading(operator.database, before.id)
  const untilMs = performance.now() + READ_WITHIN_MS
  while (performance.now() < untilMs) {
    const row = await find(operator, before.id)
    if (row.read_at?.getTime() !== before.read_at?.getTime()) return row
    await pause(POLL_MS)
  }
  throw new OperatorError('no console process has read it; is one running, with the key?')
}

function view(row: PaymentRow, organization: string): Printable {
  const { id, created_at, kind, state, currency } = row
  return { id, created_at, organization, kind, state, amount: formatAmount(row.amount), currency }
}

async function viewWhole({ database }: Operator, row: PaymentRow): Promise<Printable> {
  const { findOrganization } = await import('../../store/tenants/organizations.ts')
  const { slug } = await findOrganization(database, row.organization_id)
  const { ref, money_ref, invoice_ref, failure, expires_at, changed_at, read_at, next_at } = row
  return {
    ...view(row, slug),
    tax: row.tax === null ? null : formatAmount(row.tax),
    ref,
    money_ref,
    invoice_ref,
    failure,
    differences: row.differences === null ? null : JSON.stringify(row.differences),
    expires_at,
    changed_at,
    read_at,
    next_at,
  }
}
