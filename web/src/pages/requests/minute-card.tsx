import type { RequestDetail, RequestMinute } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatCount } from '../../format/number.ts'
import { formatDuration, formatInstant } from '../../format/time.ts'
import { Card } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { TableWrap } from '../../parts/table-wrap.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { requestMinute as words } from '../../words/request-minute.ts'
import { Figures } from './figures.tsx'
import { slowestPartOf } from './minute.ts'
import styles from './requests.module.css'

const FRESH_MS = 60_000
const ROWS = ['queued_ms', 'first_token_ms', 'duration_ms'] as const

/** A request beside those that began in the same minute, from what is stored of them. */
export function MinuteCard({ request }: { readonly request: RequestDetail }) {
  const { path } = useOrganization()
  const reading = useApi(
    'GET /organizations/{organization}/requests/{request}/minute',
    { path: { ...path, request: request.id } },
    { freshFor: FRESH_MS },
  )
  const from = reading.data?.from
  return (
    <Card
      title={words.title}
      className={styles.minute}
      meta={from !== undefined && words.meta(formatInstant(from))}
    >
      <Loaded reading={reading} what={words.what}>
        {(minute) => (
          <div className={styles.minuteParts}>
            <div className="stack gap">
              {request.outcome !== 'refused' && (
                <p>
                  <Figures text={slowestPartOf(request, minute.same_model)} />
                </p>
              )}
              <Times request={request} same={minute.same_model} />
            </div>
            <Counts minute={minute} />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function Times({
  request,
  same,
}: {
  readonly request: RequestDetail
  readonly same: RequestMinute['same_model']
}) {
  if (same === null) return null
  return (
    <TableWrap label={words.table}>
      <table className={styles.check}>
        <caption className="sr">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{words.part}</th>
            <th scope="col" className="num">
              {words.own}
            </th>
            <th scope="col" className="num">
              {words.median(formatCount(same.requests))}
            </th>
          </tr>
        </thead>
        <tbody>
          {ROWS.map((name) => (
            <tr key={name}>
              <th scope="row">{words.rows[name]}</th>
              <td className="num">{formatDuration(request[name])}</td>
              <td className="num">{formatDuration(same[name])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}

function Counts({ minute }: { readonly minute: RequestMinute }) {
  const { facts } = words
  const count = formatCount(minute.requests)
  const rows = [
    [facts.began, minute.more ? facts.newest(count) : count],
    [facts.unfinished, formatCount(minute.unfinished)],
    [facts.refused, minute.refused === null ? words.notKnown : formatCount(minute.refused)],
    [facts.engines, words.notStored],
  ] as const
  return (
    <dl className={styles.sideFacts}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="num">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
