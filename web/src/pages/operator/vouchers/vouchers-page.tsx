import { Plus } from 'lucide-react'
import type { Voucher } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { useList } from '../../../api/use-list.ts'
import { formatCount, formatMoney, UNKNOWN } from '../../../format/number.ts'
import { formatDate, formatInstant } from '../../../format/time.ts'
import { Ask } from '../../../parts/ask.tsx'
import { ShortId } from '../../../parts/copy.tsx'
import { DialogButton } from '../../../parts/dialog-button.tsx'
import { Card, Page } from '../../../parts/page.tsx'
import { Empty } from '../../../parts/states.tsx'
import { ListTable, type Column } from '../../../parts/table.tsx'
import { Tag, type Tone } from '../../../parts/tag.tsx'
import { Ago } from '../../../parts/time.tsx'
import { operatorIcons } from '../../../shell/operator-icons.ts'
import { operatorVouchers as words } from '../../../words/operator-vouchers.ts'
import { useMayChange } from '../platform-role.ts'
import { CreateVouchers } from './create-vouchers.tsx'

const LIST = 'GET /operator/vouchers'
const PAGE = 50

const COLUMNS: readonly Column[] = [
  { name: words.id },
  { name: words.state },
  { name: words.amount, numeric: true },
  { name: words.redeemed, numeric: true },
  { name: words.until },
  { name: words.creditDays, className: 'opt opt-1' },
  { name: words.note },
  { name: words.maker, className: 'opt opt-1' },
  { name: words.made },
  { name: words.actions, hidden: true },
]

export function VouchersPage() {
  const mayChange = useMayChange()
  const list = useList(LIST, { query: { limit: PAGE } })
  return (
    <Page
      title={words.title}
      sub={words.sub}
      actions={
        mayChange && (
          <DialogButton look="primary" dialog={(close) => <CreateVouchers onClose={close} />}>
            <Plus size={16} aria-hidden /> {words.create}
          </DialogButton>
        )
      }
    >
      <Card>
        <ListTable
          caption={words.caption}
          what={words.title}
          className="labelled"
          columns={COLUMNS}
          list={list}
          row={(voucher) => <Row key={voucher.id} voucher={voucher} />}
          empty={
            <Empty icon={<operatorIcons.vouchers size={24} aria-hidden />} title={words.none}>
              {words.noneText}
            </Empty>
          }
        />
      </Card>
    </Page>
  )
}

const TONES: Readonly<Record<Voucher['state'], Tone>> = {
  open: 'ok',
  used_up: 'line',
  expired: 'line',
  revoked: 'line',
}

function Row({ voucher }: { readonly voucher: Voucher }) {
  const mayChange = useMayChange()
  const { state, organizations_max: most, credit_days: days } = voucher
  return (
    <tr>
      <th scope="row">
        <ShortId value={voucher.id} what={words.id} />
      </th>
      <td>
        <Tag tone={TONES[state]}>{words.states[state]}</Tag>
      </td>
      <td className="num" data-label={words.amount}>
        {formatMoney(voucher.amount)}
      </td>
      <td className="num" data-label={words.redeemed}>
        {words.redeemedOf(formatCount(voucher.redeemed), formatCount(most))}
      </td>
      <td className="nowrap" data-label={words.until} data-value={voucher.expires_at ?? ''}>
        {voucher.expires_at === null ? UNKNOWN : <LastDay until={voucher.expires_at} />}
      </td>
      <td className="opt opt-1">{days === null ? UNKNOWN : words.afterDays(days)}</td>
      <td
        className="wrap"
        data-label={words.note}
        data-value={voucher.note === null ? '' : undefined}
      >
        {voucher.note ?? UNKNOWN}
      </td>
      <td className="ink-3 opt opt-1">{voucher.made_by}</td>
      <td className="ink-3 nowrap" data-label={words.made}>
        <Ago time={voucher.made_at} />
      </td>
      <td className="num acts">{mayChange && state === 'open' && <Revoke voucher={voucher} />}</td>
    </tr>
  )
}

/** Until when one can redeem it: a day that was chosen ends as the next one begins. */
function LastDay({ until }: { readonly until: string }) {
  return (
    <time dateTime={until} title={formatInstant(until)}>
      {formatDate(Date.parse(until) - 1)}
    </time>
  )
}

function Revoke({ voucher }: { readonly voucher: Voucher }) {
  const revoke = useChange('DELETE /operator/vouchers/{voucher}', [LIST])
  return (
    <DialogButton
      size="sm"
      look="danger-quiet"
      aria-label={words.revokeWhich(voucher.id)}
      dialog={(close) => (
        <Ask
          title={words.revokeTitle}
          text={words.revokeText}
          button={words.revoke}
          change={revoke}
          input={{ path: { voucher: voucher.id } }}
          done={words.revoked}
          onClose={close}
        />
      )}
    >
      {words.revoke}
    </DialogButton>
  )
}
