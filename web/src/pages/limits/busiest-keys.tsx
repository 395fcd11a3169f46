import { Link } from '@tanstack/react-router'
import type { Usage } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatCount } from '../../format/number.ts'
import { formatHour, zoneName } from '../../format/time.ts'
import { Name } from '../../parts/name.tsx'
import { Card } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { useNow } from '../../parts/now.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { limits as words } from '../../words/limits.ts'
import styles from './limits.module.css'

const HOUR_MS = 3_600_000
const SHOWN = 5
const REFRESH_MS = 10_000

type Row = Usage['data'][number]

/** Sums are per hour: the last hour is this one so far and the one before. */
export function BusiestKeys() {
  const { path } = useOrganization()
  const from = Math.floor(useNow() / HOUR_MS) * HOUR_MS - HOUR_MS
  const usage = useApi(
    'GET /organizations/{organization}/usage',
    { path, query: { from: new Date(from).toISOString(), by: ['key'] } },
    { every: REFRESH_MS },
  )
  return (
    <Card title={words.keys} meta={words.keysMeta(`${formatHour(from, 'local')} ${zoneName()}`)}>
      <Loaded reading={usage} what={words.keys}>
        {({ data }) =>
          data.length === 0 ? (
            <div className="card-body ink-3">{words.keysEmpty}</div>
          ) : (
            <Table
              caption={words.keysCaption}
              className={`dense ${styles.busiest}`}
              columns={[
                { name: words.key },
                { name: words.requests, numeric: true },
                { name: words.tokens, numeric: true },
              ]}
            >
              {data
                .toSorted((a, b) => tokensOf(b) - tokensOf(a))
                .slice(0, SHOWN)
                .map((row) => (
                  <tr key={row.key?.id}>
                    <th scope="row">
                      <KeyName used={row.key} />
                    </th>
                    <td className="num">{formatCount(row.requests)}</td>
                    <td className="num">{formatCount(tokensOf(row))}</td>
                  </tr>
                ))}
            </Table>
          )
        }
      </Loaded>
    </Card>
  )
}

function tokensOf({ prompt_tokens: prompt, completion_tokens: completion }: Row): number {
  return prompt + completion
}

function KeyName({ used }: { readonly used: Row['key'] }) {
  const { slug } = useOrganization()
  if (used === undefined) return words.unknownKey
  if (used.kind === 'playground') return words.playground(used.name ?? '')
  return (
    <Link to="/o/$slug/keys/$key" params={{ slug, key: used.id }}>
      <Name value={used.name ?? words.unknownKey} />
    </Link>
  )
}
