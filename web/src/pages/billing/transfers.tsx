import { useList } from '../../api/use-list.ts'
import { formatMoney } from '../../format/number.ts'
import { Name } from '../../parts/name.tsx'
import { Card } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Instant } from '../../parts/time.tsx'
import { bookedBy, reasonOf } from '../../parts/transfer-words.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { transfers as words } from '../../words/billing.ts'
import styles from './billing.module.css'

const { columns } = words

/** Money that was added or corrected: who, why and with which reference. */
export function Transfers() {
  const { path } = useOrganization()
  const list = useList('GET /organizations/{organization}/balance/transfers', { path })
  return (
    <Card title={words.card}>
      <ListTable
        caption={words.card}
        what={words.card}
        className={styles.transfers}
        columns={[
          { name: columns.when },
          { name: columns.kind },
          { name: columns.amount, numeric: true },
          { name: columns.why },
          { name: columns.who, className: 'opt opt-2' },
          { name: columns.reference, className: 'opt' },
        ]}
        list={list}
        empty={<p className="card-body ink-3">{words.none}</p>}
        row={(transfer) => (
          <tr key={transfer.id}>
            <th scope="row">
              <Instant time={transfer.made_at} />
            </th>
            <td className={styles.kind}>{words.kinds[transfer.kind]}</td>
            <td className={`num ${styles.amount}`}>{formatMoney(transfer.amount)}</td>
            <td className={`wrap ${styles.reason}`}>{reasonOf(transfer)}</td>
            <td className="opt opt-2">{bookedBy(transfer)}</td>
            <td className="opt">
              <code>
                <Name value={transfer.reference} />
              </code>
            </td>
          </tr>
        )}
      />
    </Card>
  )
}
