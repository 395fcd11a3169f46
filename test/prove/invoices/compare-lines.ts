import type { Pool } from 'pg'
import type { StripeObject } from '../../harness/payments/journal.ts'

const MICRO_PER_CENT = 10_000

type Cost = {
  readonly ref: string
  readonly model: string
  readonly month: string
  readonly cost: number
}

// The sums of the usage records of a statement: its lines, whose sums `statements` proves.
const COSTS = `
  select ref, model, statement_month as month, sum(cost)::float8 as cost
  from payments join statement_cells cells
    on cells.organization_id = payments.organization_id
      and to_char(cells.month, 'YYYY-MM') = statement_month
  where kind = 'invoice' and ref is not null group by 1, 2, 3`

/**
 * The lines of each invoice add up to it, and that of a model differs from what the statement says
 * by less than a cent.
 */
export async function compareLines(
  pool: Pool,
  objects: readonly StripeObject[],
): Promise<readonly string[]> {
  const { rows: costs } = await pool.query<Cost>(COSTS)
  const items = objects.filter(({ object }) => object === 'invoiceitem')
  return objects
    .filter(({ object, status }) => object === 'invoice' && status !== 'draft')
    .flatMap((invoice) => {
      const lines = items.filter((each) => each['invoice'] === invoice.id)
      const sum = lines.reduce((all, { amount }) => all + Number(amount), 0)
      const own = costs.filter(({ ref }) => ref === invoice.id)
      return [
        ...(sum === invoice['subtotal']
          ? []
          : [`the lines of ${invoice.id} are ${sum}, it is ${String(invoice['subtotal'])}`]),
        ...own.flatMap((cost) => compareModel(lines, cost)),
      ]
    })
}

function compareModel(lines: readonly StripeObject[], { ref, model, month, cost }: Cost): string[] {
  const named = lines.filter(({ description }) => description === `${model}, ${month}`)
  const cents = named.reduce((all, { amount }) => all + Number(amount), 0)
  const isRight = named.length <= 1 && Math.abs(cents - cost / MICRO_PER_CENT) < 1
  return isRight ? [] : [`${ref}: ${named.length} lines of ${cents} cents for ${model} of ${cost}`]
}
