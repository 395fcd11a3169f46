import { Download } from 'lucide-react'
import { addressOf } from '../../api/call.ts'
import type { Statement, Statements as StatementList } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatCount, formatMoney, UNKNOWN } from '../../format/number.ts'
import { formatDate, formatUtcMonth } from '../../format/time.ts'
import { Card } from '../../parts/page.tsx'
import { Loaded, Skeleton } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { statements as words } from '../../words/billing.ts'
import styles from './billing.module.css'
import { InvoiceTag, OverdueStrip, PayInvoice } from './invoice.tsx'

export function useStatements() {
  const { path } = useOrganization()
  return useApi('GET /organizations/{organization}/statements', { path })
}

/** What was used in each month that is over: written once, and the same for ever. */
export function Statements() {
  const statements = useStatements()
  return (
    <Card title={words.card} meta={words.meta}>
      <Loaded reading={statements} what={words.card} skeleton={<Skeleton lines={3} />}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="card-body ink-3">{words.none}</p>
          ) : (
            <>
              <OverdueStrip data={data} />
              <StatementTable data={data} />
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

function StatementTable({ data }: Pick<StatementList, 'data'>) {
  const { path } = useOrganization()
  const isInvoiced = data.some(({ state }) => state !== 'closed')
  return (
    <Table
      caption={words.card}
      className={isInvoiced ? 'dense listed labelled' : 'dense'}
      columns={[
        { name: words.month },
        ...(isInvoiced ? [{ name: words.state }] : []),
        { name: words.requests, numeric: true, className: isInvoiced ? 'opt' : '' },
        { name: words.tokens, numeric: true, className: 'opt' },
        { name: words.cost, numeric: true },
        ...(isInvoiced ? INVOICE_COLUMNS : []),
        { name: words.download, hidden: true },
      ]}
    >
      {data.map(({ month, requests, prompt_tokens, completion_tokens, cost, ...due }) => (
        <tr key={month}>
          <th scope="row">{formatUtcMonth(`${month}-01`)}</th>
          {isInvoiced && (
            <td>
              <InvoiceTag state={due.state} />
            </td>
          )}
          <td className={isInvoiced ? 'num opt' : 'num'}>{formatCount(requests)}</td>
          <td className="num opt">{formatCount(prompt_tokens + completion_tokens)}</td>
          <td className="num" data-label={words.cost}>
            {formatMoney(cost)}
          </td>
          {isInvoiced && <InvoiceCells due={due} />}
          <td className={`num acts ${styles.rowButtons}`}>
            <PayInvoice month={month} url={due.url} />
            <a
              className="btn sm"
              download
              aria-label={words.downloadMonth(formatUtcMonth(`${month}-01`))}
              href={addressOf('GET /organizations/{organization}/statements/{month}/cells', {
                path: { ...path, month },
                query: { format: 'csv' },
              })}
            >
              <Download size={16} aria-hidden /> {words.csv}
            </a>
          </td>
        </tr>
      ))}
    </Table>
  )
}

const INVOICE_COLUMNS = [{ name: words.total, numeric: true }, { name: words.due }]

type Due = Pick<Statement, 'total' | 'due_at'>

function InvoiceCells({ due: { total, due_at: dueAt } }: { readonly due: Due }) {
  return (
    <>
      <td className="num" data-label={words.total} data-value={total?.amount ?? ''}>
        {total === null ? UNKNOWN : formatMoney(total)}
      </td>
      <td data-label={words.due} data-value={dueAt ?? ''}>
        {dueAt === null ? UNKNOWN : formatDate(dueAt)}
      </td>
    </>
  )
}
