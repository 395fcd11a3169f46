import { randomUUID } from 'node:crypto'
import type { Random } from '../../harness/figures/random.ts'
import { openOrganization } from '../../harness/seed/tenants.ts'
import type { Price } from '../../../src/tenancy/price.ts'
import { deleteOrganization } from '../../../src/store/people/delete-organization.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { createProject } from '../../../src/store/tenants/projects.ts'
import { monthFrom } from './months.ts'

export type Customer = {
  readonly id: string
  readonly projects: readonly string[]
  readonly credentials: readonly string[]
  readonly createdMs: number
  /** Infinity if it stays. */
  readonly deletedMs: number
  /** Its plan changes at this moment, and with it the price. */
  readonly changedMs: number
  /** Null is a plan without prices. */
  readonly prices: readonly [Price | null, Price | null]
}

const PROJECTS_MAX = 3
const CREDENTIALS = 2
/** Of a hundred organizations. */
const DELETED_SHARE = 0.06
const NEW_SHARE = 0.1
const PRICES: readonly (Price | null)[] = [
  { input: 1_000_000, cachedInput: 500_000, output: 3_000_000 },
  { input: 150_000, cachedInput: 15_000, output: 610_000 },
  { input: 3, cachedInput: 1, output: 7 },
  null,
]

/**
 * Organizations that begin, change their plan and end at any moment of the months, some at the
 * first or the last millisecond of one.
 */
export async function openCustomers(
  { database, pool }: Postgres,
  random: Random,
  count: number,
  months: readonly number[],
): Promise<Customer[]> {
  const first = months[0]!
  const customers: Customer[] = []
  const anyMoment = (from: number) => {
    const start = random.pick(months.filter((month) => month >= from))
    const end = monthFrom(start, 1) - 1
    if (random.chance(0.3)) return random.pick([start, end])
    return random.between(start, end)
  }
  while (customers.length < count) {
    const { id, projectId } = await openOrganization(database, 'free')
    const projects = [projectId]
    while (projects.length < random.between(1, PROJECTS_MAX))
      projects.push((await createProject(database, id, `project ${projects.length}`)).id)
    const isNew = random.chance(NEW_SHARE)
    const createdMs = isNew ? anyMoment(first) : monthFrom(first, -1)
    const later = months.find((month) => month > createdMs)
    const isDeleted = later !== undefined && random.chance(DELETED_SHARE)
    const deletedMs = isDeleted ? anyMoment(later) : Infinity
    const prices = [random.pick(PRICES), random.pick(PRICES)] as const
    const credentials = Array.from({ length: CREDENTIALS }, () => randomUUID())
    const changedMs = anyMoment(first)
    customers.push({ id, projects, credentials, createdMs, deletedMs, changedMs, prices })
    await pool.query('update organizations set created_at = $2 where id = $1', [
      id,
      new Date(createdMs),
    ])
  }
  return customers
}

/** Those that end in the month end, as an operator ends them, but at their moment. */
export async function deleteSome(
  { database, pool }: Postgres,
  customers: readonly Customer[],
  month: number,
): Promise<number> {
  const ended = customers.filter(({ deletedMs }) => isWithin(deletedMs, month))
  for (const { id, deletedMs } of ended) {
    await database.transaction().execute(async (transaction) => deleteOrganization(transaction, id))
    await pool.query('update organizations set deleted_at = $2 where id = $1', [
      id,
      new Date(deletedMs),
    ])
  }
  return ended.length
}

export function isWithin(timeMs: number, month: number): boolean {
  return timeMs >= month && timeMs < monthFrom(month, 1)
}

/** Whether it existed at any moment of the month. */
export function existedIn({ createdMs, deletedMs }: Customer, month: number): boolean {
  return createdMs < monthFrom(month, 1) && deletedMs >= month
}
