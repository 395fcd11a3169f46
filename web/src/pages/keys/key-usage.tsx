import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { Key, Usage } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatAmount, formatCount } from '../../format/number.ts'
import { formatUtcDay } from '../../format/time.ts'
import { Card } from '../../parts/page.tsx'
import { RequestDays } from '../../parts/request-days.tsx'
import { Loaded, Skeleton } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { keyPage as words } from '../../words/key-page.ts'
import { keys } from '../../words/keys.ts'

const DAYS_LISTED = 7

/** The last 30 UTC days: a bar each, and the newest as figures. */
export function KeyUsage({ stored }: { readonly stored: Key }) {
  const { path, slug } = useOrganization()
  const usage = useApi('GET /organizations/{organization}/usage', {
    path,
    query: { by: ['day'], key: stored.id },
  })
  return (
    <Card
      title={words.usage}
      meta={words.usageMeta}
      end={
        <Link
          className="quiet-link xs"
          to="/o/$slug/usage"
          params={{ slug }}
          search={{ key: stored.id }}
        >
          {words.allUsage}
          <ChevronRight size={14} aria-hidden />
        </Link>
      }
    >
      <Loaded reading={usage} what={words.allUsage} skeleton={<Skeleton lines={11} />}>
        {(read) =>
          read.data.length === 0 ? (
            <div className="card-body ink-3">{words.usageEmpty}</div>
          ) : (
            <>
              <RequestDays usage={read} label={words.usageCaption} requests={words.requests} />
              <Days usage={read} />
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

function Days({ usage }: { readonly usage: Usage }) {
  const days = usage.data.toReversed()
  const currency = days[0]?.cost.currency ?? ''
  const sum = (figure: (row: Usage['data'][number]) => number) =>
    days.reduce((total, row) => total + figure(row), 0)
  return (
    <Table
      caption={words.usageCaption}
      className="dense"
      columns={[
        { name: words.day },
        { name: words.requests, numeric: true },
        { name: words.input, numeric: true },
        { name: words.output, numeric: true },
        { name: `${words.cost}, ${currency}`, numeric: true },
      ]}
    >
      <tr className="sum">
        <th scope="row">{words.total}</th>
        <td className="num">{formatCount(sum((row) => row.requests))}</td>
        <td className="num">{formatCount(sum((row) => row.prompt_tokens))}</td>
        <td className="num">{formatCount(sum((row) => row.completion_tokens))}</td>
        <td className="num">{formatAmount(sum((row) => row.cost.amount_micro))}</td>
      </tr>
      {days.slice(0, DAYS_LISTED).map((row) => (
        <tr key={row.day}>
          <th scope="row">{row.day === undefined ? keys.never : formatUtcDay(row.day)}</th>
          <td className="num">{formatCount(row.requests)}</td>
          <td className="num">{formatCount(row.prompt_tokens)}</td>
          <td className="num">{formatCount(row.completion_tokens)}</td>
          <td className="num">{formatAmount(row.cost.amount_micro)}</td>
        </tr>
      ))}
    </Table>
  )
}
