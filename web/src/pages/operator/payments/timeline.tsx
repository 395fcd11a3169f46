import type { OperatorPaymentDetail, TimelineEntry } from '../../../api/routes.ts'
import { formatMoney, UNKNOWN } from '../../../format/number.ts'
import { Name } from '../../../parts/name.tsx'
import { Card } from '../../../parts/page.tsx'
import { Table } from '../../../parts/table.tsx'
import { Instant } from '../../../parts/time.tsx'
import { bookings } from '../../../words/bookings.ts'
import { actionName } from '../../../words/action-names.ts'
import { operatorPayments as words } from '../../../words/operator-payments.ts'
import styles from '../operator.module.css'

const COLUMNS = [
  { name: words.when },
  { name: words.kind },
  { name: words.what },
  { name: words.amount, numeric: true },
  { name: words.by, className: 'opt-2' },
]

/** All that happened to a payment, oldest first. */
export function Timeline({ detail }: { readonly detail: OperatorPaymentDetail }) {
  return (
    <Card title={words.timeline}>
      <Table caption={words.timelineCaption} className="dense listed labelled" columns={COLUMNS}>
        {detail.timeline.map((entry) => (
          <Row key={`${entry.at} ${entry.kind} ${entry.name}`} entry={entry} />
        ))}
      </Table>
    </Card>
  )
}

function Row({ entry }: { readonly entry: TimelineEntry }) {
  const { at, kind, name, by, amount, way } = entry
  return (
    <tr>
      <th scope="row" className="nowrap">
        <Instant time={at} />
      </th>
      <td className="ink-3">{words.kinds[kind]}</td>
      <td data-label={words.what} className={styles.wrapText}>
        <span>
          {kind === 'audit' && actionName(name)}
          {kind === 'read' && words.lastReading}
          {(kind === 'hint' || kind === 'transfer') && (
            <code>
              <Name value={name} />
            </code>
          )}
          {way !== null && <span className="hint block">{way}</span>}
        </span>
      </td>
      <td className="num" data-label={words.amount} data-value={amount?.amount_micro ?? ''}>
        {amount === null ? UNKNOWN : formatMoney(amount)}
      </td>
      <td className="ink-3 opt opt-2">
        <Name value={by === 'payments' ? bookings.service : (by ?? UNKNOWN)} />
      </td>
    </tr>
  )
}
