import { getRouteApi, Link } from '@tanstack/react-router'
import type { OperatorPayment } from '../../../api/routes.ts'
import { useList } from '../../../api/use-list.ts'
import { formatMoney, UNKNOWN } from '../../../format/number.ts'
import { Card, Page } from '../../../parts/page.tsx'
import { Empty } from '../../../parts/states.tsx'
import { ListTable } from '../../../parts/table.tsx'
import { Ago, Instant } from '../../../parts/time.tsx'
import { operatorPayments as words } from '../../../words/operator-payments.ts'
import styles from '../operator.module.css'
import { DisputesCard } from './disputes-card.tsx'
import { InvoicesCard } from './invoices-card.tsx'
import { OrganizationLink } from './organization-link.tsx'
import { PaymentTag } from './payment-tags.tsx'

const route = getRouteApi('/app/operator/payments')
const PAGE = 20

const COLUMNS = [
  { name: words.created },
  { name: words.state },
  { name: words.organization },
  { name: words.amount, numeric: true },
  { name: words.tax, numeric: true, className: 'opt-2' },
  { name: words.returned, numeric: true },
]

/** What waits for a decision comes first, then disputes, then all payments. */
export function OperatorPaymentsPage() {
  const { organization } = route.useSearch()
  const list = useList('GET /operator/payments', {
    query: { limit: PAGE, ...(organization !== undefined && { organization }) },
  })
  return (
    <Page title={words.title} sub={words.sub}>
      <div className={styles.stacked}>
        <AttentionCard />
        <DisputesCard />
        <InvoicesCard />
        <Card title={words.all}>
          <ListTable
            caption={words.allCaption}
            what={words.title}
            className="labelled"
            columns={COLUMNS}
            list={list}
            row={(payment) => <Row key={payment.id} payment={payment} />}
            empty={<Empty title={words.none}>{words.noneText}</Empty>}
          />
        </Card>
      </div>
    </Page>
  )
}

function Row({ payment }: { readonly payment: OperatorPayment }) {
  const isReturned = payment.returned.amount_micro > 0
  return (
    <tr>
      <th scope="row" className="nowrap">
        <Link to="/operator/payments/$payment" params={{ payment: payment.id }}>
          <Instant time={payment.created_at} />
        </Link>
      </th>
      <td>
        <PaymentTag payment={payment} />
      </td>
      <td className="wrap" data-label={words.organization}>
        <OrganizationLink of={payment} />
      </td>
      <td className="num" data-label={words.amount}>
        {formatMoney(payment.amount)}
      </td>
      <td className="num opt opt-2">{payment.tax === null ? UNKNOWN : formatMoney(payment.tax)}</td>
      <td
        className="num"
        data-label={words.returned}
        data-value={isReturned ? payment.returned.amount_micro : ''}
      >
        {isReturned ? formatMoney(payment.returned) : UNKNOWN}
      </td>
    </tr>
  )
}

const WAITING_COLUMNS = [
  { name: words.created },
  { name: words.organization },
  { name: words.amount, numeric: true },
  { name: words.differs },
  { name: words.waits },
]

function AttentionCard() {
  const list = useList('GET /operator/payments', { query: { limit: PAGE, state: 'attention' } })
  return (
    <Card title={words.attention}>
      <ListTable
        caption={words.attentionCaption}
        what={words.attention}
        className="labelled"
        columns={WAITING_COLUMNS}
        list={list}
        row={(payment) => <Waiting key={payment.id} payment={payment} />}
        empty={<Empty title={words.noAttention}>{words.noAttentionText}</Empty>}
      />
    </Card>
  )
}

function Waiting({ payment }: { readonly payment: OperatorPayment }) {
  return (
    <tr>
      <th scope="row" className="nowrap">
        <Link to="/operator/payments/$payment" params={{ payment: payment.id }}>
          <Instant time={payment.created_at} />
        </Link>
      </th>
      <td className="wrap" data-label={words.organization}>
        <OrganizationLink of={payment} />
      </td>
      <td className="num" data-label={words.amount}>
        {formatMoney(payment.amount)}
      </td>
      <td data-label={words.differs}>
        {payment.differences.map(({ field }) => words.fieldName(field)).join(', ')}
      </td>
      <td className="ink-3" data-label={words.waits}>
        <Ago time={payment.changed_at} />
      </td>
    </tr>
  )
}
