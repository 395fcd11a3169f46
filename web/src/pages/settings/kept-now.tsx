import { Trash2 } from 'lucide-react'
import type { KeptContent, Retention } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { useList, type List } from '../../api/use-list.ts'
import { formatCount } from '../../format/number.ts'
import { formatDate } from '../../format/time.ts'
import { AskByName } from '../../parts/ask-by-name.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Card } from '../../parts/page.tsx'
import { ListTable } from '../../parts/table.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { kept as words } from '../../words/settings.ts'
import { goneBy, sumKept, type KeptSum } from './sum-kept.ts'
import styles from './settings.module.css'

const { columns } = words
const DAYS_READ = 31

/** How much is kept, by kind and day, and the way to destroy it all. */
export function KeptNow({ retention }: { readonly retention: Retention }) {
  const { path, may } = useOrganization()
  const list = useList('GET /organizations/{organization}/kept-content', {
    path,
    query: { limit: DAYS_READ },
  })
  const sum = sumKept(list.items ?? [], list.hasMore, retention)
  const records = recordsOf(sum)
  const hasAny = (list.items?.length ?? 0) > 0
  return (
    <Card
      title={words.card}
      className={styles.kept}
      {...(hasAny &&
        may('retention:write') && {
          foot: (
            <>
              <span className="grow">{words.text(records)}</span>
              <DialogButton
                look="danger-quiet"
                dialog={(close) => <Destroy records={records} days={sum.days} onClose={close} />}
              >
                <Trash2 size={16} aria-hidden /> {words.destroy}
              </DialogButton>
            </>
          ),
        })}
    >
      {hasAny && <Figures sum={sum} />}
      <ByDay list={list} retention={retention} />
    </Card>
  )
}

function recordsOf({ records, more }: KeptSum): string {
  const text = formatCount(records)
  return more ? words.atLeast(text) : text
}

function Figures({ sum }: { readonly sum: KeptSum }) {
  return (
    <dl className="figures">
      <div>
        <dt className="fig-label">{words.records}</dt>
        <dd className="fig">{recordsOf(sum)}</dd>
      </div>
      <div>
        <dt className="fig-label">{words.days}</dt>
        <dd className="fig">{formatCount(sum.days)}</dd>
      </div>
      <div>
        <dt className="fig-label">{words.oldest}</dt>
        <dd className="fig">{sum.oldest === null ? '' : formatDate(sum.oldest, 'UTC')}</dd>
      </div>
      <div>
        <dt className="fig-label">{words.goneBy}</dt>
        <dd className="fig">{sum.goneBy === null ? '' : formatDate(sum.goneBy, 'UTC')}</dd>
      </div>
    </dl>
  )
}

function ByDay({
  list,
  retention,
}: {
  readonly list: List<KeptContent>
  readonly retention: Retention
}) {
  return (
    <ListTable
      caption={words.byDay}
      what={words.card}
      className="dense"
      columns={[
        { name: columns.day },
        { name: columns.retention },
        { name: columns.records, numeric: true },
        { name: columns.gone, numeric: true },
      ]}
      list={list}
      empty={<p className="card-body ink-3">{words.none}</p>}
      row={(kept) => (
        <tr key={`${kept.retention}.${kept.day}`}>
          <th scope="row">{formatDate(kept.day, 'UTC')}</th>
          <td>
            <code>{kept.retention}</code>
          </td>
          <td className="num" data-label={columns.records}>
            {kept.more ? words.atLeast(formatCount(kept.records)) : formatCount(kept.records)}
          </td>
          <td className="num" data-label={columns.gone}>
            {formatDate(goneBy(kept, retention), 'UTC')}
          </td>
        </tr>
      )}
    />
  )
}

function Destroy({
  records,
  days,
  onClose,
}: {
  readonly records: string
  readonly days: number
  readonly onClose: () => void
}) {
  const { path } = useOrganization()
  const destroy = useChange('DELETE /organizations/{organization}/kept-content', [
    'GET /organizations/{organization}/kept-content',
  ])
  return (
    <AskByName
      title={words.destroyTitle}
      text={
        <>
          {words.destroyText(records, days)} {words.destroyStays} {words.destroyRunning}
        </>
      }
      name={words.word}
      label={words.type(words.word)}
      button={words.destroy}
      change={destroy}
      input={{ path }}
      done={words.destroyed}
      onClose={onClose}
    />
  )
}
