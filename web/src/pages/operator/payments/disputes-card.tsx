import { Link } from '@tanstack/react-router'
import type { OperatorDispute } from '../../../api/routes.ts'
import { useList } from '../../../api/use-list.ts'
import { formatMoney } from '../../../format/number.ts'
import { Card } from '../../../parts/page.tsx'
import { Empty } from '../../../parts/states.tsx'
import { ListTable } from '../../../parts/table.tsx'
import { Ago, Instant } from '../../../parts/time.tsx'
import { operatorPayments as words } from '../../../words/operator-payments.ts'
import { OrganizationLink } from './organization-link.tsx'
import { DisputeTag } from './payment-tags.tsx'

const PAGE = 20

const COLUMNS = [
  { name: words.created },
  { name: words.state },
  { name: words.organization },
  { name: words.amount, numeric: true },
  { name: words.why },
  { name: words.changed, className: 'opt-2' },
]

export function DisputesCard() {
  const list = useList('GET /operator/disputes', { query: { limit: PAGE } })
  return (
    <Card title={words.disputes}>
      <ListTable
        caption={words.disputesCaption}
        what={words.disputes}
        className="labelled"
        columns={COLUMNS}
        list={list}
        row={(dispute) => <Row key={dispute.id} dispute={dispute} />}
        empty={<Empty title={words.noDisputes}>{words.noDisputesText}</Empty>}
      />
    </Card>
  )
}

function Row({ dispute }: { readonly dispute: OperatorDispute }) {
  return (
    <tr>
      <th scope="row" className="nowrap">
        <Link to="/operator/payments/$payment" params={{ payment: dispute.payment_id }}>
          <Instant time={dispute.created_at} />
        </Link>
      </th>
      <td>
        <DisputeTag state={dispute.state} />
      </td>
      <td className="wrap" data-label={words.organization}>
        <OrganizationLink of={dispute} />
      </td>
      <td className="num" data-label={words.amount}>
        {formatMoney(dispute.amount)}
      </td>
      <td data-label={words.why}>
        <code>{dispute.reason}</code>
      </td>
      <td className="ink-3 opt opt-2">
        <Ago time={dispute.changed_at} />
      </td>
    </tr>
  )
}
