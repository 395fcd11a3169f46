import { useApi } from '../../api/use-api.ts'
import { formatMoney } from '../../format/number.ts'
import { Card } from '../../parts/page.tsx'
import { Table } from '../../parts/table.tsx'
import { Instant } from '../../parts/time.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { credits as words } from '../../words/billing.ts'

export function useCredits() {
  const { path } = useOrganization()
  return useApi('GET /organizations/{organization}/credits', { path })
}

/** Whoever has none that expires sees nothing of it. */
export function Credits() {
  const { data } = useCredits()
  if (data === undefined || data.data.length === 0) return null
  return (
    <Card title={words.card} meta={words.meta}>
      <Table
        caption={words.card}
        className="dense"
        columns={[
          { name: words.until },
          { name: words.remaining, numeric: true },
          { name: words.of, numeric: true, className: 'opt' },
          { name: words.granted, className: 'opt' },
        ]}
      >
        {data.data.map((credit) => (
          <tr key={credit.id}>
            <th scope="row">
              <Instant time={credit.expires_at} />
            </th>
            <td className="num">{formatMoney(credit.remaining)}</td>
            <td className="num opt">{formatMoney(credit.amount)}</td>
            <td className="opt">
              <Instant time={credit.granted_at} />
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  )
}
