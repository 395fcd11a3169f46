import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { PaymentRow } from '../postgres/payment-tables.ts'
import type { Tables } from '../postgres/tables.ts'

/** Something that happened to a payment. */
export type Traced = {
  readonly at: Date
  readonly kind: 'audit' | 'hint' | 'read' | 'transfer'
  readonly name: string
  readonly by: string | null
  readonly amount: number | null
  readonly way: string | null
}

/** A refund or a dispute of it. */
type Returned = {
  readonly about: 'refund' | 'dispute'
  readonly id: string
  readonly ref: string | null
  readonly moves: number
}

/** A payment has few of each; more would make no page that anybody reads. */
const TRACES_MAX = 500

/** All that is known of a payment's past, oldest first. */
export async function readTraces(
  database: Kysely<Tables>,
  { id, organization_id: organizationId, ref, invoice_ref, read_at, created_at }: PaymentRow,
  returned: readonly Returned[],
): Promise<Traced[]> {
  const refs = [ref, invoice_ref, ...returned.map((each) => each.ref)]
  const issued = [`invoice:${id}`, `invoice-tax:${id}`]
  const own = [`payment:${id}`, `tax:${id}`, `write-off:${id}`, `write-off:${id}:back`]
  const again = issued.flatMap((each) => [each, `${each}:void`, `${each}:again`])
  const references = [...own, ...again, ...returned.flatMap(referencesOf)]
  const targets = [id, ...returned.map((each) => each.id)]
  const { rows } = await sql<Traced>`
    select made_at as at, 'hint' as kind, type as name, source as by,
        null::bigint as amount, null as way
      from provider_events where ref = any(${refs.filter((each) => each !== null)})
    union all select made_at, 'transfer', reference, made_by, amount,
        debit_account || ' → ' || credit_account
      from transfers where reference = any(${references})
    union all select made_at, 'audit', action, actor_label, null, null
      from audit_events where organization_id = ${organizationId}
        and target_id = any(${targets}) and made_at >= ${created_at}
    union all select ${read_at}::timestamptz, 'read', 'read', null, null, null
      where ${read_at}::timestamptz is not null
    order by at, kind limit ${TRACES_MAX}`.execute(database)
  return rows
}

/** As they were counted when its money moved. */
function referencesOf({ about, id, moves }: Returned): string[] {
  return Array.from({ length: moves }, (_, at) => `${about}:${id}:${at + 1}`).flatMap((each) => [
    each,
    `${each}:tax`,
  ])
}
