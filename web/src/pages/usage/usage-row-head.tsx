import { Link } from '@tanstack/react-router'
import { type Zone } from '../../format/clock.ts'
import { formatHour, formatUtcDay, formatUtcWeekday } from '../../format/time.ts'
import { Name } from '../../parts/name.tsx'
import { Tag } from '../../parts/tag.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { present } from '../../shell/search.ts'
import { usage as words } from '../../words/usage.ts'
import { bucketEnd } from '../../parts/chart-shape.ts'
import { dayText } from './period.ts'
import type { UsageSearch } from './search.ts'
import type { Row } from './usage-rows.ts'
import styles from './usage.module.css'

/** The name of a row, and the way to what it is made of. */
export function RowHead({
  row,
  search,
  open,
}: {
  readonly row: Row
  readonly search: UsageSearch
  readonly open: boolean
}) {
  const { by = 'day' } = search
  return (
    <th scope="row">
      <RowLink row={row} search={search} /> {open && by !== 'model' && <Tag>{words.soFar}</Tag>}
    </th>
  )
}

function RowLink({ row, search }: { readonly row: Row; readonly search: UsageSearch }) {
  const { slug } = useOrganization()
  const { by = 'day', project, key, member, model } = search
  const params = { slug }
  if (row.start !== null && by === 'hour') {
    const zone: Zone = search.zone === 'utc' ? 'UTC' : 'local'
    const filters = { project, key, member, model }
    const end = bucketEnd(row.start, 'hour')
    const hours = { from: hourText(row.start), to: hourText(end) }
    return (
      <Link
        className={styles.plain}
        to="/o/$slug/requests"
        params={params}
        search={present({ ...filters, ...hours })}
      >
        <span className="num">
          {formatHour(row.start, zone)}–{formatHour(end, zone)}
        </span>{' '}
        <span className="ink-3">{formatUtcDay(row.start, zone)}</span>
      </Link>
    )
  }
  if (row.start !== null) {
    const day = dayText(row.start)
    return (
      <Link
        className={styles.plain}
        to="/o/$slug/usage"
        params={params}
        search={{ ...search, period: 'custom', from: day, to: day, by: 'hour' }}
      >
        <span className="num">{formatUtcDay(row.start)}</span>{' '}
        <span className="ink-3">{formatUtcWeekday(row.start)}</span>
      </Link>
    )
  }
  if (row.id === '') return <Name value={row.label} />
  const { sort: _sort, order: _order, ...rest } = search
  return (
    <Link
      className={styles.plain}
      to="/o/$slug/usage"
      params={params}
      search={{ ...rest, [by]: row.id, by: 'day' }}
    >
      <Name value={row.label} />
    </Link>
  )
}

function hourText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16)}Z`
}
