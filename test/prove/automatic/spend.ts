import { balancesOf } from '../../../src/store/ledger/double-entry.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import type { Environment } from '../../harness/environment.ts'
import type { Random } from '../../harness/figures/random.ts'
import type { ProviderControl } from '../../harness/payments/provider-client.ts'
import { openPerson, type Headers } from '../../harness/processes/console.ts'
import { addUsage } from '../../harness/seed/billing-rows.ts'
import { grantFunds, openOrganization, type Organization } from '../../harness/seed/tenants.ts'

export type Spender = { readonly organization: Organization; readonly as: Headers }

const UNIT = 1_000_000
/** Less than any charge, so that none is paid by it. */
const BALANCE_CENTS = 50

/** An organization with a balance, a saved card and an owner who has turned it on. */
export async function openSpender(
  { postgres: { database, pool }, postgres }: Environment,
  provider: ProviderControl,
  random: Random,
): Promise<Spender> {
  const organization = await openOrganization(database, 'prepaid')
  await grantFunds(database, organization.id, random.between(5, 20) * UNIT)
  const { as, accountId } = await openPerson(postgres, {
    organizationId: organization.id,
    role: 'owner',
  })
  const response = await fetch(`${provider.url}/v1/customers`, {
    method: 'POST',
    headers: { authorization: 'Bearer rk_test_0123456789abcdef' },
    body: new URLSearchParams({ name: organization.id }),
  })
  const { id: customer } = (await response.json()) as { id: string }
  await pool.query(
    `insert into provider_customers (organization_id, ref, card_ref) values ($1, $2, $3)`,
    [organization.id, customer, `pm_${organization.id}`],
  )
  const amount = random.between(5, 25)
  const monthMax = amount * random.between(2, 8)
  await pool.query(
    `insert into automatic_top_ups (organization_id, threshold, amount, month_max, day_max,
       consent, consented_by) values ($1, $2, $3, $4, 100, 'proof', $5)`,
    [organization.id, 10 * UNIT, amount * UNIT, monthMax * UNIT, accountId],
  )
  return { organization, as }
}

/** As requests do: nobody spends more than the balance. Returns the lowest balance before it. */
export async function spend(
  { database, pool }: Postgres,
  spenders: readonly Spender[],
  random: Random,
): Promise<number> {
  const ids = spenders.map(({ organization }) => organization.id)
  const balanceOf = await balancesOf(database, ids)
  const balances = ids.map((id) => balanceOf(id).balance)
  for (const [at, { organization }] of spenders.entries()) {
    const balance = balances[at] ?? 0
    if (balance > 0 && random.chance(0.5))
      await addUsage(pool, organization, random.between(0, Math.ceil(balance / 3)))
  }
  return Math.min(...balances)
}

/** Somebody gives a customer a balance at the provider, which changes what it asks for, or none. */
export async function balanceSome(
  { pool }: Postgres,
  provider: ProviderControl,
  spenders: readonly Spender[],
  random: Random,
): Promise<void> {
  const { organization } = random.pick(spenders)
  const cents = random.pick([0, 0, 0, BALANCE_CENTS, -BALANCE_CENTS])
  const { rows } = await pool.query<{ ref: string }>(
    'select ref from provider_customers where organization_id = $1',
    [organization.id],
  )
  // The provider may be dead.
  for (const { ref } of rows) await provider.balance(ref, cents).catch(() => null)
}

/** Owners of cards confirm what their bank asks for, or never do. */
export async function confirmSome(
  { pool }: Postgres,
  provider: ProviderControl,
  random: Random,
): Promise<void> {
  const { rows } = await pool.query<{ ref: string }>(
    `select ref from payments where state = 'needs_customer' and not cancel`,
  )
  for (const { ref } of rows) if (random.chance(0.1)) await provider.confirm(ref)
}

/** Owners resume what was paused, on any console process; it may be dead. */
export async function resumeSome(
  { pool }: Postgres,
  spenders: readonly Spender[],
  roots: () => string,
  random: Random,
): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    `select organization_id as id from automatic_top_ups where paused is not null`,
  )
  for (const { organization, as } of spenders) {
    if (!rows.some(({ id }) => id === organization.id) || !random.chance(0.1)) continue
    await fetch(`${roots()}/organizations/${organization.id}/automatic-top-up/resume`, {
      method: 'POST',
      headers: { ...as, 'content-type': 'application/json' },
      body: '{}',
    }).catch(() => undefined)
  }
}
