import {
  recoverPayments,
  type RecoveredPayments,
} from '../../../src/platform/payments/recover/recover-payments.ts'
import { balanceOf } from '../../../src/store/ledger/double-entry.ts'
import type { Payer, PayingConsole } from './paying-console.ts'

const ACTOR = { kind: 'operator_shell', name: 'test', request: null } as const
/** Before every payment of a test. */
export const SINCE = new Date(Date.now() - 3_600_000)

/** What the command finds of these organizations: other tests have theirs. */
export async function recoverOf(
  { environment }: PayingConsole,
  payers: readonly Pick<Payer, 'organization'>[],
  dryRun = false,
): Promise<RecoveredPayments> {
  const found = await recoverPayments(environment, ACTOR, { since: SINCE, dryRun })
  const ids = new Set(payers.map(({ organization }) => organization.id))
  const payments = found.payments.filter(({ organizationId }) => ids.has(organizationId))
  const rows = await environment.database
    .selectFrom('payments')
    .select('id')
    .where('organization_id', 'in', [...ids])
    .execute()
  const own = new Set(rows.map(({ id }) => id))
  return { payments, returned: found.returned.filter(({ paymentId }) => own.has(paymentId)) }
}

/** What became of the payments of one organization, as `done state`. */
export async function doneFor(
  console_: PayingConsole,
  payer: Pick<Payer, 'organization'>,
): Promise<string[]> {
  const { payments } = await recoverOf(console_, [payer])
  return payments.map(({ done, state }) => `${done} ${state}`)
}

/** The balance of an organization. */
export async function centsOf(
  { postgres }: PayingConsole,
  { organization }: Pick<Payer, 'organization'>,
): Promise<number> {
  return (await balanceOf(postgres.database, organization.id)).balance / 10_000
}

/** What the ledger has of the provider beyond what the provider has for us. */
export async function strayCents({ postgres, control }: PayingConsole): Promise<number> {
  const { rows } = await postgres.pool.query<{ cents: number }>(
    `select ((debits - credits) / 10000)::int as cents from ledger_accounts
     where id = 'provider:stripe'`,
  )
  return rows[0]!.cents - (await control.sums()).held
}

/** A paid page of the account that is none of ours, whatever it says. Returns its id. */
export async function payForeignPage(
  { control }: PayingConsole,
  customer: string,
  { cents, metadata }: { readonly cents: number; readonly metadata: Record<string, string> },
): Promise<string> {
  const price = 'line_items[0][price_data]'
  const form = new URLSearchParams({
    mode: 'payment',
    customer,
    'line_items[0][quantity]': '1',
    [`${price}[currency]`]: 'usd',
    [`${price}[unit_amount]`]: String(cents),
    [`${price}[product_data][name]`]: 'Something else',
    success_url: 'https://shop.example',
  })
  for (const [name, value] of Object.entries(metadata)) form.set(`metadata[${name}]`, value)
  const response = await fetch(`${control.url}/v1/checkout/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  })
  const { id } = (await response.json()) as { id: string }
  await control.complete(id)
  return id
}
