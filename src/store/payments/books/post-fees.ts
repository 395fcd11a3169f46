import { sql, type Transaction } from 'kysely'
import { uuidV7 } from '../../../lib/uuid.ts'
import type { Tables } from '../../postgres/tables.ts'

export type DayFees = {
  /** In the ledger's currency: what the provider took, and what the ledger has of it. */
  readonly theirs: number
  readonly ours: number
  /** Currency → amount. They are not in the ledger. */
  readonly others: Readonly<Record<string, number>>
}

/** Fees in one statement, which must end before statements time out. */
const BATCH_FEES = 2_000

/**
 * Posts the fees of the movements of a day that are in the ledger's currency, many at once, because
 * credits of payments wait for the same account. The reference names the movement, so that a
 * repetition posts nothing twice.
 */
export async function postFees(
  transaction: Transaction<Tables>,
  day: string,
  currency: string,
): Promise<DayFees> {
  await sql`select from ledger_accounts where id in ('fees', 'provider:stripe') order by id
    for update`.execute(transaction)
  while ((await postBatch(transaction, day, currency)) === BATCH_FEES) continue
  return sumFees(transaction, day, currency)
}

async function postBatch(
  transaction: Transaction<Tables>,
  day: string,
  currency: string,
): Promise<number> {
  const ids = Array.from({ length: BATCH_FEES }, () => uuidV7())
  const { rows } = await sql<{ count: number }>`
    with made as (
      insert into transfers (id, debit_account, credit_account, amount, kind, reference, made_by,
        reason)
      select (${ids}::uuid[])[row_number() over ()],
        case when fee > 0 then 'fees' else 'provider:stripe' end,
        case when fee > 0 then 'provider:stripe' else 'fees' end, abs(fee), 'fee', 'fee:' || ref,
        'payments', 'fee'
      from provider_lines where day = ${day}::date and fee <> 0 and fee_currency = ${currency}
        and ${isOurs}
        and not exists (select from transfers posted where posted.reference = 'fee:' || ref)
      limit ${BATCH_FEES}
      on conflict (reference) do nothing returning debit_account as debit, amount),
    summed as (
      update ledger_accounts set
        debits = debits + (select coalesce(sum(amount), 0) from made where debit = id),
        credits = credits + (select coalesce(sum(amount), 0) from made where debit <> id)
      where id in ('fees', 'provider:stripe'))
    select count(*)::int as count from made`.execute(transaction)
  return rows[0]!.count
}

async function sumFees(
  transaction: Transaction<Tables>,
  day: string,
  currency: string,
): Promise<DayFees> {
  const { rows } = await sql<{ currency: string; theirs: number; ours: number }>`
    select fee_currency as currency, sum(fee)::bigint as theirs,
      coalesce(sum(case when debit_account = 'fees' then transfers.amount
        else -transfers.amount end), 0)::bigint as ours
    from provider_lines left join transfers on reference = 'fee:' || ref
    where day = ${day}::date and fee <> 0 and ${isOurs} group by fee_currency`.execute(transaction)
  const own = rows.find((row) => row.currency === currency)
  const others = rows.filter((row) => row !== own)
  return {
    theirs: own?.theirs ?? 0,
    ours: own?.ours ?? 0,
    others: Object.fromEntries(others.map((row) => [row.currency, row.theirs])),
  }
}

/** What an operator has settled outside is no concern of the ledger. */
const isOurs = sql`not exists (
  select from payments where id = payment_id and resolution = 'outside')`
