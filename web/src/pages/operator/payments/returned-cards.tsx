import type { Dispute, OperatorPaymentDetail, Refund } from '../../../api/routes.ts'
import { formatMoney, UNKNOWN } from '../../../format/number.ts'
import { Name } from '../../../parts/name.tsx'
import { Card } from '../../../parts/page.tsx'
import { Table } from '../../../parts/table.tsx'
import { Instant } from '../../../parts/time.tsx'
import { operatorPayments as words } from '../../../words/operator-payments.ts'
import { DisputeTag, RefundTag } from './payment-tags.tsx'
import styles from '../operator.module.css'

const COLUMNS = [
  { name: words.created },
  { name: words.state },
  { name: words.amount, numeric: true },
  { name: words.tax, numeric: true },
  { name: words.why },
  { name: words.ref, className: 'opt-2' },
]

/** Refunds and disputes of a payment, if there are any. */
export function ReturnedCards({ detail }: { readonly detail: OperatorPaymentDetail }) {
  const { refunds, disputes } = detail
  return (
    <>
      {refunds.length > 0 && (
        <ReturnedCard title={words.refunds}>
          {refunds.map((refund) => (
            <Row key={refund.id} returned={refund} tag={<RefundTag state={refund.state} />}>
              {refund.requested_by === null ? words.atProvider : (refund.reason ?? UNKNOWN)}
              {refund.failure !== null && <code> {refund.failure}</code>}
              {refund.credit_note !== null && <NoteLine note={refund.credit_note} />}
            </Row>
          ))}
        </ReturnedCard>
      )}
      {disputes.length > 0 && (
        <ReturnedCard title={words.disputes}>
          {disputes.map((dispute) => (
            <Row key={dispute.id} returned={dispute} tag={<DisputeTag state={dispute.state} />}>
              <code>{dispute.reason}</code>
            </Row>
          ))}
        </ReturnedCard>
      )}
    </>
  )
}

function NoteLine({ note }: { readonly note: NonNullable<Refund['credit_note']> }) {
  return (
    <span className="hint block">
      {words.creditNotes[note.state]}
      {note.failure !== null && <code> {note.failure}</code>}
    </span>
  )
}

function ReturnedCard({
  title,
  children,
}: {
  readonly title: string
  readonly children: React.ReactNode
}) {
  return (
    <Card title={title}>
      <Table caption={title} className="listed labelled" columns={COLUMNS}>
        {children}
      </Table>
    </Card>
  )
}

function Row({
  returned,
  tag,
  children,
}: {
  readonly returned: Refund | Dispute
  readonly tag: React.ReactNode
  readonly children: React.ReactNode
}) {
  return (
    <tr>
      <th scope="row" className="nowrap">
        <Instant time={returned.created_at} />
      </th>
      <td>{tag}</td>
      <td className="num" data-label={words.amount}>
        {formatMoney(returned.amount)}
      </td>
      <td className="num" data-label={words.tax}>
        {formatMoney(returned.tax)}
      </td>
      <td data-label={words.why} className={styles.wrapText}>
        <span>{children}</span>
      </td>
      <td className="opt opt-2">
        <code>{returned.ref === null ? UNKNOWN : <Name value={returned.ref} />}</code>
      </td>
    </tr>
  )
}
