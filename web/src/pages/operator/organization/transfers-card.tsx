import type { Money, Transfer } from '../../../api/routes.ts'
import { useList } from '../../../api/use-list.ts'
import { formatMoney } from '../../../format/number.ts'
import { DialogButton } from '../../../parts/dialog-button.tsx'
import { Name } from '../../../parts/name.tsx'
import { Card } from '../../../parts/page.tsx'
import { Empty } from '../../../parts/states.tsx'
import { ListTable } from '../../../parts/table.tsx'
import { Instant } from '../../../parts/time.tsx'
import { bookedBy, reasonOf } from '../../../parts/transfer-words.ts'
import { operatorOrganizations as words } from '../../../words/operator-organizations.ts'
import { useMayChange } from '../platform-role.ts'
import { TransferDialog } from './transfer-dialog.tsx'
import styles from '../operator.module.css'

const PAGE = 20

const COLUMNS = [
  { name: words.when },
  { name: words.kind },
  { name: words.amount, numeric: true },
  { name: words.reason, className: 'opt-2' },
  { name: words.reference },
  { name: words.madeBy, className: 'opt-2' },
]

export function TransfersCard({
  organization,
  balance,
}: {
  readonly organization: string
  readonly balance: Money
}) {
  const mayChange = useMayChange()
  const list = useList('GET /operator/organizations/{organization}/transfers', {
    path: { organization },
    query: { limit: PAGE },
  })
  return (
    <Card
      title={words.transfers}
      end={
        mayChange && (
          <DialogButton
            size="sm"
            dialog={(close) => (
              <TransferDialog organization={organization} balance={balance} onClose={close} />
            )}
          >
            {words.transfer}
          </DialogButton>
        )
      }
    >
      <ListTable
        caption={words.transfersCaption}
        what={words.transfers}
        className={styles.transfers}
        columns={COLUMNS}
        list={list}
        row={(transfer) => <Row key={transfer.id} transfer={transfer} />}
        empty={<Empty title={words.noTransfers}>{words.noTransfersText}</Empty>}
      />
    </Card>
  )
}

function Row({ transfer }: { readonly transfer: Transfer }) {
  return (
    <tr>
      <th scope="row" className="nowrap">
        <Instant time={transfer.made_at} />
      </th>
      <td className={styles.kind}>{words.kinds[transfer.kind]}</td>
      <td className={`num ${styles.amount}`}>{formatMoney(transfer.amount)}</td>
      <td className={`opt opt-2 ${styles.wrapText}`}>{reasonOf(transfer)}</td>
      <td className={`xs-n ${styles.reference}`}>
        <code>
          <Name value={transfer.reference} />
        </code>
      </td>
      <td className="ink-3 opt opt-2">{bookedBy(transfer)}</td>
    </tr>
  )
}
