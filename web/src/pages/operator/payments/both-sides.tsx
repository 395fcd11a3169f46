import { CircleCheck, CircleX } from 'lucide-react'
import type { OperatorPayment } from '../../../api/routes.ts'
import { formatMoney } from '../../../format/number.ts'
import { Card } from '../../../parts/page.tsx'
import { Table } from '../../../parts/table.tsx'
import { operatorPayments as words } from '../../../words/operator-payments.ts'

const COLUMNS = [{ name: words.field }, { name: words.ours }, { name: words.theirs }]

/** In micro-units there, as everything that is compared. */
const AMOUNTS: readonly string[] = ['amount', 'total']

/** Our facts beside the provider's, as they were when they were compared. */
export function BothSides({ payment }: { readonly payment: OperatorPayment }) {
  const { differences, amount } = payment
  const show = (field: string, value: string) =>
    AMOUNTS.includes(field) && /^-?\d+$/.test(value)
      ? formatMoney({ ...amount, amount_micro: Number(value) })
      : value
  return (
    <Card title={words.bothSides}>
      {differences.length === 0 ? (
        <p className="row card-body">
          <CircleCheck size={16} className="ok" aria-hidden /> {words.nothingDiffers}
        </p>
      ) : (
        <Table caption={words.bothSidesCaption} className="dense listed labelled" columns={COLUMNS}>
          {differences.map(({ field, ours, theirs }) => (
            <tr key={field}>
              <th scope="row">
                <span className="row bad">
                  <CircleX size={16} aria-hidden /> {words.fieldName(field)}
                </span>
              </th>
              <td data-label={words.ours}>{show(field, ours)}</td>
              <td data-label={words.theirs}>{show(field, theirs)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
