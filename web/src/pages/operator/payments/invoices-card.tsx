import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { OperatorInvoice } from '../../../api/routes.ts'
import { useList } from '../../../api/use-list.ts'
import { formatMoney } from '../../../format/number.ts'
import { formatDate, formatUtcMonth } from '../../../format/time.ts'
import { UNKNOWN } from '../../../format/unknown.ts'
import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/page.tsx'
import { Empty } from '../../../parts/states.tsx'
import { ListTable } from '../../../parts/table.tsx'
import { Tag } from '../../../parts/tag.tsx'
import { operatorPayments as words } from '../../../words/operator-payments.ts'
import { InvoiceTag } from '../../billing/invoice.tsx'
import { useMayChange } from '../platform-role.ts'
import { askedFor, InvoiceDialog } from './invoice-dialog.tsx'
import { OrganizationLink } from './organization-link.tsx'

const PAGE = 20
const EVERY_MS = 15_000

const COLUMNS = [
  { name: words.month },
  { name: words.state },
  { name: words.organization },
  { name: words.amount, numeric: true },
  { name: words.due },
  { name: words.actions, hidden: true },
]

/** Invoices that nobody has paid yet, with what an operator can decide about them. */
export function InvoicesCard() {
  const list = useList('GET /operator/invoices', { query: { limit: PAGE } }, { every: EVERY_MS })
  const [asking, setAsking] = useState<OperatorInvoice | null>(null)
  return (
    <Card title={words.invoices}>
      <ListTable
        caption={words.invoicesCaption}
        what={words.invoices}
        className="labelled"
        columns={COLUMNS}
        list={list}
        row={(invoice) => (
          <Row key={invoice.id} invoice={invoice} onDecide={() => setAsking(invoice)} />
        )}
        empty={<Empty title={words.noInvoices}>{words.noInvoicesText}</Empty>}
      />
      {asking !== null && <InvoiceDialog invoice={asking} onClose={() => setAsking(null)} />}
    </Card>
  )
}

type RowProps = { readonly invoice: OperatorInvoice; readonly onDecide: () => void }

function Row({ invoice, onDecide }: RowProps) {
  const mayChange = useMayChange()
  const { state, decided, failure, due_at: dueAt } = invoice
  return (
    <tr>
      <th scope="row" className="nowrap">
        <Link to="/operator/payments/$payment" params={{ payment: invoice.id }}>
          {formatUtcMonth(`${invoice.month}-01`)}
        </Link>
      </th>
      <td>
        <InvoiceTag state={state} /> {decided !== null && <Tag tone="accent">{words.telling}</Tag>}
        {failure !== null && <code>{failure}</code>}
      </td>
      <td className="wrap" data-label={words.organization}>
        <OrganizationLink of={invoice} />
      </td>
      <td className="num" data-label={words.amount}>
        {formatMoney(askedFor(invoice))}
      </td>
      <td data-label={words.due} data-value={dueAt ?? ''}>
        {dueAt === null ? UNKNOWN : formatDate(dueAt)}
      </td>
      <td className="num acts">
        {mayChange && decided === null && (
          <Button size="sm" onClick={onDecide}>
            {words.decide}
          </Button>
        )}
      </td>
    </tr>
  )
}
