import { Download } from 'lucide-react'
import { addressOf } from '../../api/call.ts'
import type { Statements as StatementList } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatCount, formatMoney } from '../../format/number.ts'
import { formatUtcMonth } from '../../format/time.ts'
import { Card } from '../../parts/page.tsx'
import { Loaded, Skeleton } from '../../parts/states.tsx'
import { TableWrap } from '../../parts/table-wrap.tsx'
import { TableHead } from '../../parts/table.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { statements as words } from '../../words/billing.ts'

/** What was used in each month that is over: written once, and the same for ever. */
export function Statements() {
  const { path } = useOrganization()
  const statements = useApi('GET /organizations/{organization}/statements', { path })
  return (
    <Card title={words.card} meta={words.meta}>
      <Loaded reading={statements} what={words.card} skeleton={<Skeleton lines={3} />}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="card-body ink-3">{words.none}</p>
          ) : (
            <StatementTable data={data} />
          )
        }
      </Loaded>
    </Card>
  )
}

function StatementTable({ data }: Pick<StatementList, 'data'>) {
  const { path } = useOrganization()
  return (
    <TableWrap label={words.card}>
      <table className="table dense">
        <caption className="sr">{words.card}</caption>
        <TableHead
          columns={[
            { name: words.month },
            { name: words.requests, numeric: true },
            { name: words.tokens, numeric: true, className: 'opt' },
            { name: words.cost, numeric: true },
            { name: words.download, hidden: true },
          ]}
        />
        <tbody>
          {data.map(({ month, requests, prompt_tokens, completion_tokens, cost }) => (
            <tr key={month}>
              <th scope="row">{formatUtcMonth(`${month}-01`)}</th>
              <td className="num">{formatCount(requests)}</td>
              <td className="num opt">{formatCount(prompt_tokens + completion_tokens)}</td>
              <td className="num">{formatMoney(cost)}</td>
              <td className="num">
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
        </tbody>
      </table>
    </TableWrap>
  )
}
