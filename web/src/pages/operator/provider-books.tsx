import { Link } from '@tanstack/react-router'
import type { Ledger, ProviderDay } from '../../api/routes.ts'
import { useList } from '../../api/use-list.ts'
import { formatMoney } from '../../format/number.ts'
import { formatUtcDay } from '../../format/time.ts'
import { Card } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { providerBooks as words } from '../../words/provider-books.ts'
import styles from './operator.module.css'

const DAYS = 30
const SIDES = ['charges', 'refunds', 'disputes', 'fees'] as const

const COLUMNS = [
  { name: words.day },
  { name: words.result },
  ...SIDES.map((side) => ({ name: words.sides[side], numeric: true })),
]

/** Each day in the books of the payment provider and in the ledger. */
export function ProviderBooks({ provider }: { readonly provider: Ledger['provider'] }) {
  const list = useList('GET /operator/provider-days', { query: { limit: DAYS } })
  return (
    <Card title={words.title}>
      {provider !== null && <Sums provider={provider} />}
      <ListTable
        caption={words.caption}
        what={words.title}
        className={`labelled ${styles.books}`}
        columns={COLUMNS}
        list={list}
        row={(day) => <Day key={day.day} day={day} />}
        empty={<Empty title={words.none}>{words.noneText}</Empty>}
      />
    </Card>
  )
}

function Sums({ provider }: { readonly provider: NonNullable<Ledger['provider']> }) {
  const { compared_until: until, theirs, ours, not_compared: rest } = provider
  const differs = theirs.amount_micro !== ours.amount_micro
  return (
    <div className="card-body">
      <dl className={styles.factGrid}>
        <div>
          <dt>{words.theirs(formatUtcDay(until))}</dt>
          <dd className={differs ? 'bad medium' : 'medium'}>{formatMoney(theirs)}</dd>
        </div>
        <div>
          <dt>{words.ours}</dt>
          <dd className={differs ? 'bad medium' : 'medium'}>{formatMoney(ours)}</dd>
        </div>
        <div>
          <dt>{words.notCompared}</dt>
          <dd>{formatMoney(rest)}</dd>
        </div>
      </dl>
    </div>
  )
}

function Day({ day }: { readonly day: ProviderDay }) {
  const { without_entry: withoutEntry, without_movement: withoutMovement, items } = day
  const differs = withoutEntry + withoutMovement > 0
  return (
    <>
      <tr className={items.length > 0 ? styles.differing : undefined}>
        <th scope="row" className="nowrap">
          {formatUtcDay(day.day)}
        </th>
        <td>
          {differs ? (
            <Tag tone="bad">{words.differs}</Tag>
          ) : day.awaited > 0 ? (
            <Tag tone="line">{words.waits}</Tag>
          ) : (
            <Tag tone="ok">{words.equal}</Tag>
          )}
        </td>
        {SIDES.map((side) => (
          <td key={side} className="num" data-label={words.sides[side]}>
            <span>
              <Both sides={day[side]} />
              {side === 'fees' &&
                day.other_fees.map((fee) => (
                  <span key={fee.currency} className="ink-3">
                    <br />
                    {words.notPosted(formatMoney(fee))}
                  </span>
                ))}
            </span>
          </td>
        ))}
      </tr>
      {items.length > 0 && (
        <tr>
          <td colSpan={COLUMNS.length} className={styles.fullRow}>
            <ul className={styles.items}>
              {items.map((item) => (
                <Item key={`${item.ref} ${item.missing} ${item.amount.amount_micro}`} item={item} />
              ))}
            </ul>
          </td>
        </tr>
      )}
    </>
  )
}

/** One figure if both are equal. */
function Both({ sides: { theirs, ours } }: { readonly sides: ProviderDay['charges'] }) {
  if (theirs.amount_micro === ours.amount_micro) return formatMoney(theirs)
  return (
    <span className="bad">
      {words.inStripe(formatMoney(theirs))}
      <br />
      {words.inLedger(formatMoney(ours))}
    </span>
  )
}

function Item({ item }: { readonly item: ProviderDay['items'][number] }) {
  const { about, ref, payment_id: payment, amount, missing } = item
  return (
    <li>
      <span className="medium">
        {words.missing[missing][about]} {formatMoney(amount)}
      </span>{' '}
      {payment === null ? (
        <code>{ref}</code>
      ) : (
        <Link className="quiet-link" to="/operator/payments/$payment" params={{ payment }}>
          <code>{ref}</code>
        </Link>
      )}
      <p className="ink-3">{words.todo[missing][about]}</p>
    </li>
  )
}
