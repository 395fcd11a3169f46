import type { EnginesOfProcess } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatCount, UNKNOWN } from '../../format/number.ts'
import { Card } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { TableHead } from '../../parts/table.tsx'
import { Dot } from '../../parts/tag.tsx'
import { operator } from '../../words/operator.ts'
import { mergeEngines, processName, type EngineRow } from './merge-engines.ts'

const words = operator.engines
const EVERY_MS = 2000
/** More processes share the last shade. */
const SHADES = 3

const COLUMNS = [
  { name: words.engine },
  { name: words.kind, className: 'opt-2' },
  { name: words.models },
  { name: words.slotsByProcess },
  { name: words.ejections, numeric: true, className: 'opt-2' },
  { name: words.conformance },
  { name: words.health },
]

/** The engines with their slots, as all API processes see them. */
export function EngineTable() {
  const reading = useApi('GET /operator/engines', {}, { every: EVERY_MS })
  const configuration = useApi('GET /operator/configuration', {}, { freshFor: Infinity })
  return (
    <Loaded reading={reading} what={words.what}>
      {({ data }) =>
        data.length === 0 ? (
          <Card title={words.title}>
            <Empty title={words.none}>{words.noneText}</Empty>
          </Card>
        ) : (
          <Engines processes={data} rows={mergeEngines(data, configuration.data?.settings)} />
        )
      }
    </Loaded>
  )
}

function Engines({
  processes,
  rows,
}: {
  readonly processes: readonly EnginesOfProcess[]
  readonly rows: readonly EngineRow[]
}) {
  const used = rows.reduce((sum, { inUse }) => sum + inUse, 0)
  const all = rows.reduce((sum, { slots }) => sum + (slots ?? 0), 0)
  const names = processes.map(({ url }) => processName(url))
  return (
    <Card
      title={words.title}
      meta={words.meta(formatCount(used), formatCount(all))}
      end={
        <span className="legend">
          {processes.map(({ url, reachable }, at) => (
            <span key={url} className={reachable ? undefined : 'bad'}>
              <i className={`swatch ${shadeOf(at)}`} />
              {processName(url)}
              {!reachable && ` · ${words.unreachable}`}
            </span>
          ))}
        </span>
      }
    >
      <div className="table-wrap">
        <table className="table dense engines listed">
          <caption className="sr">{words.caption}</caption>
          <TableHead columns={COLUMNS} />
          <tbody>
            {rows.map((row) => (
              <EngineLine key={row.name} row={row} processes={names} />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}

function shadeOf(at: number): string {
  return `p${Math.min(at + 1, SHADES)}`
}

function EngineLine({
  row,
  processes,
}: {
  readonly row: EngineRow
  readonly processes: readonly string[]
}) {
  return (
    <tr>
      <th scope="row">{row.name}</th>
      <td className="ink-3 opt opt-2">{row.kind ?? UNKNOWN}</td>
      <td>
        <span className="models-of">
          {row.models.length === 0
            ? UNKNOWN
            : row.models.map((model) => <code key={model}>{model}</code>)}
        </span>
      </td>
      <td>
        <Slots row={row} processes={processes} />
      </td>
      <td className="num opt opt-2">{formatCount(row.slots === null ? null : row.ejections)}</td>
      <td>
        {row.missing === null && <span className="ink-3">{words.notProbed}</span>}
        {row.missing?.length === 0 && words.conforms}
        {row.missing !== null && row.missing.length > 0 && (
          <span className="row warn">
            <Dot tone="warn" />
            <span>
              {words.missing} <code>{row.missing.join(', ')}</code>
            </span>
          </span>
        )}
      </td>
      <td>
        <Health row={row} />
      </td>
    </tr>
  )
}

function Slots({
  row: { name, slots, inUse, shares },
  processes,
}: {
  readonly row: EngineRow
  readonly processes: readonly string[]
}) {
  if (slots === null) return <span className="ink-3">{UNKNOWN}</span>
  const full = slots > 0 && inUse >= slots
  return (
    <div className="slots">
      <span
        className="bar"
        role="meter"
        aria-label={words.slotsOf(name)}
        aria-valuemin={0}
        aria-valuemax={slots}
        aria-valuenow={inUse}
        aria-valuetext={words.usedOf(formatCount(inUse), formatCount(slots))}
      >
        {shares.map(({ process, inUse: share }) => (
          <i
            key={process}
            className={shadeOf(processes.indexOf(process))}
            style={{ width: `${slots === 0 ? 0 : (share / slots) * 100}%` }}
          />
        ))}
      </span>
      <span className={full ? 'num warn medium' : 'num'}>
        {formatCount(inUse)} / {formatCount(slots)}
      </span>
    </div>
  )
}

function Health({ row }: { readonly row: EngineRow }) {
  if (row.slots === null)
    return (
      <span className="row ink-3">
        <Dot tone="off" /> {words.unknown}
      </span>
    )
  if (row.ejectedBy.length > 0)
    return (
      <span className="row warn">
        <Dot tone="warn" /> {words.ejectedBy(row.ejectedBy.join(', '))}
      </span>
    )
  return (
    <span className="row">
      <Dot tone="ok" /> {words.healthy}
    </span>
  )
}
