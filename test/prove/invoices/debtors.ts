import type { Environment } from '../../harness/environment.ts'
import type { Random } from '../../harness/figures/random.ts'
import { openPerson, type Headers } from '../../harness/processes/console.ts'
import { grantFunds, openKey, openOrganization } from '../../harness/seed/tenants.ts'
import { setCreation } from '../../harness/seed/billing-rows.ts'
import { insist, type Roots } from '../payments/shop.ts'
import type { Customer } from '../statements/organizations.ts'

/** Plans of the configuration: the first is paid afterwards. */
export const POSTPAID = 'later'
export const PREPAID = 'paid'

/** A steady organization may be stopped and run again; nothing else refuses its requests. */
const HABITS = ['steady', 'changes its plan', 'has a credit limit', 'gets credits'] as const

/** An organization that gets invoices, and what the proof gave it. */
export type Debtor = Customer & {
  readonly habit: (typeof HABITS)[number]
  readonly owner: Headers
  readonly key: string
  /** In micro-units. */
  granted: number
  /** Requests that were answered. */
  answered: number
}

/** Not round, so that costs are no whole cents. In micro-units for a million tokens. */
const PRICES = [
  { input: 31_234_567, cachedInput: 7_654_321, output: 93_456_789 },
  { input: 3_000_001, cachedInput: 300_000, output: 9_999_999 },
] as const
const CREDENTIALS = 2
const CENT = 10_000
const GRANTED_CENTS_MAX = 600
const LIMIT_UNITS_MAX = 200

export async function openDebtors(
  { postgres }: Environment,
  random: Random,
  count: number,
  sinceMs: number,
): Promise<Debtor[]> {
  const { database, pool } = postgres
  const debtors: Debtor[] = []
  while (debtors.length < count) {
    const { id, projectId } = await openOrganization(database, POSTPAID)
    await setCreation(pool, id, new Date(sinceMs))
    const { as: owner } = await openPerson(postgres, { organizationId: id, role: 'owner' })
    debtors.push({
      id,
      owner,
      key: (await openKey(database, projectId)).text,
      habit: HABITS[debtors.length % HABITS.length]!,
      projects: [projectId],
      credentials: Array.from({ length: CREDENTIALS }, () => crypto.randomUUID()),
      createdMs: sinceMs,
      deletedMs: Infinity,
      changedMs: Infinity,
      prices: [random.pick(PRICES), null],
      granted: 0,
      answered: 0,
    })
  }
  return debtors
}

/** What operators change between two months, on whichever console answers. */
export async function changeSome(
  { postgres }: Environment,
  roots: Roots,
  random: Random,
  debtors: readonly Debtor[],
): Promise<number> {
  const { as } = await openPerson(postgres, { platformRole: 'operator' })
  const change = async (method: 'PATCH' | 'PUT', path: string, body: object) => {
    const { status, text } = await insist(roots, method, path, as, body)
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 200)}`)
  }
  let changes = 0
  for (const debtor of debtors) {
    const path = `/operator/organizations/${debtor.id}`
    if (debtor.habit === 'steady' || !random.chance(0.7)) continue
    changes += 1
    if (debtor.habit === 'changes its plan')
      await change('PATCH', path, { plan: random.pick([POSTPAID, PREPAID]) })
    if (debtor.habit === 'has a credit limit') {
      const credit_limit = { amount: String(random.between(0, LIMIT_UNITS_MAX)) }
      await change('PUT', `${path}/credit-limit`, { credit_limit, reason: 'proof' })
    }
    if (debtor.habit !== 'gets credits') continue
    const amount = random.between(1, GRANTED_CENTS_MAX) * CENT
    await grantFunds(postgres.database, debtor.id, amount)
    debtor.granted += amount
  }
  return changes
}
