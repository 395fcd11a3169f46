import { useState } from 'react'
import type { EnginesOfProcess } from '../../../api/routes.ts'
import { useApi } from '../../../api/use-api.ts'
import { formatCount, formatRate, formatShare, UNKNOWN } from '../../../format/number.ts'
import { Card } from '../../../parts/page.tsx'
import { Empty, Loaded } from '../../../parts/states.tsx'
import { Table } from '../../../parts/table.tsx'
import { Dot } from '../../../parts/tag.tsx'
import { Ago } from '../../../parts/time.tsx'
import { operatorEngines as words } from '../../../words/operator-engines.ts'
import { EngineActions, OrderDialog, type ChosenOrder } from './engine-actions.tsx'
import { mergeEngines, processName, stateOf, type EngineRow } from './merge-engines.ts'
import { useMayChange } from '../platform-role.ts'
import { useEngines } from './use-engines.ts'
import styles from './engines.module.css'

/** More processes share the last shade. */
/** Of a process in the bar of slots; those after the third look like it. */
const SHADES = [styles.p1, styles.p2, styles.p3] as const

const COLUMNS = [
  { name: words.engine },
  { name: words.state },
  { name: words.slots },
  { name: words.inside, numeric: true },
  { name: words.firstToken, numeric: true },
  { name: words.speed, numeric: true },
  { name: words.cached, numeric: true, className: 'opt-2' },
  { name: words.capabilities },
]

const ACTIONS = { name: words.actions, className: 'menu-col', hidden: true }

/** The engines with their slots, as all API processes see them. */
export function EngineTable() {
  const reading = useEngines()
  const configuration = useApi('GET /operator/configuration', {}, { freshFor: Infinity })
  return (
    <Loaded reading={reading} what={words.what}>
      {({ data, orders }) =>
        data.length === 0 ? (
          <Card title={words.title}>
            <Empty title={words.none}>{words.noneText}</Empty>
          </Card>
        ) : (
          <Engines
            processes={data}
            rows={mergeEngines(data, orders, configuration.data?.settings)}
          />
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
  const mayChange = useMayChange()
  const [chosen, setChosen] = useState<ChosenOrder | null>(null)
  const used = rows.reduce((sum, { merged }) => sum + (merged?.running ?? 0), 0)
  const all = rows.reduce((sum, { merged }) => sum + (merged?.found ?? 0), 0)
  const names = processes.map(({ url }) => processName(url))
  return (
    <Card
      title={words.title}
      meta={words.meta(formatCount(used), formatCount(all))}
      foot={words.explained}
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
      <Table
        caption={words.caption}
        className={`dense ${styles.engines} listed`}
        columns={mayChange ? [...COLUMNS, ACTIONS] : COLUMNS}
      >
        {rows.map((row) => (
          <EngineLine
            key={row.name}
            row={row}
            processes={names}
            onChoose={mayChange ? setChosen : null}
          />
        ))}
      </Table>
      {chosen !== null && <OrderDialog order={chosen} onClose={() => setChosen(null)} />}
    </Card>
  )
}

function shadeOf(at: number): string | undefined {
  return SHADES[Math.min(at, SHADES.length - 1)]
}

function EngineLine({
  row,
  processes,
  onChoose,
}: {
  readonly row: EngineRow
  readonly processes: readonly string[]
  /** Null if the viewer may not give orders. */
  readonly onChoose: ((order: ChosenOrder) => void) | null
}) {
  const { name, kind, models, merged } = row
  const firstTokenMs = merged?.firstTokenMs ?? null
  return (
    <tr>
      <th scope="row">
        {name}
        <span className={styles.subLines}>
          {kind}
          {models.map((model) => (
            <code key={model}>{model}</code>
          ))}
        </span>
      </th>
      <td className={styles.stateCell}>
        <State row={row} />
      </td>
      <td className={styles.slotsCell}>
        <Slots row={row} processes={processes} />
      </td>
      <td className="num" data-label={words.waitingInside}>
        {formatCount(merged?.waitingInside)}
      </td>
      <td className="num" data-label={words.firstToken}>
        {firstTokenMs === null
          ? UNKNOWN
          : words.milliseconds(formatCount(Math.round(firstTokenMs)))}
      </td>
      <td className="num" data-label={words.speed}>
        {formatRate(merged?.tokensPerSecond)}
      </td>
      <td className="num opt-2" data-label={words.cached}>
        {typeof merged?.cachedShare === 'number' ? formatShare(merged.cachedShare, 1) : UNKNOWN}
      </td>
      <td className={styles.can} data-label={words.capabilities}>
        <Capabilities missing={row.missing} />
      </td>
      {onChoose !== null && (
        <td className="menu-col">
          <EngineActions row={row} onChoose={onChoose} />
        </td>
      )}
    </tr>
  )
}

const TONES = {
  ready: 'ok',
  suspect: 'warn',
  warming: 'warn',
  trial: 'warn',
  ejected: 'bad',
  misconfigured: 'bad',
  draining: 'off',
  disabled: 'off',
} as const

/** The state, since when, and why. */
function State({ row }: { readonly row: EngineRow }) {
  const state = stateOf(row)
  if (state === null)
    return (
      <span className="row ink-3">
        <Dot tone="off" /> {words.unknown}
      </span>
    )
  const { order, merged } = row
  const since = order?.since ?? merged?.since ?? null
  const faults = Object.entries(merged?.faults ?? {})
  const tone = TONES[state]
  return (
    <>
      <span className={tone === 'warn' || tone === 'bad' ? `row ${tone}` : 'row'}>
        <Dot tone={tone} /> {words.states[state]}
      </span>
      <span className={styles.subLines}>
        {since !== null && <Ago time={since} />}
        {order !== null && <span>{words.ordered(order.note, order.by)}</span>}
        {order === null && merged?.reason !== null && <span>{merged?.reason}</span>}
        {faults.map(([kind, { count, organizations }]) => (
          <span key={kind}>
            {words.faults(formatCount(count), kind, words.organizations(organizations))}
          </span>
        ))}
      </span>
    </>
  )
}

function Slots({
  row: { name, merged, shares },
  processes,
}: {
  readonly row: EngineRow
  readonly processes: readonly string[]
}) {
  if (merged === null) return <span className="ink-3">{UNKNOWN}</span>
  const { capacity, found, leased, running } = merged
  const whole = Math.max(capacity, running, 1)
  const width = (slots: number) => ({ width: `${(slots / whole) * 100}%` })
  const idle = Math.max(0, Math.min(leased, whole) - running)
  const details = [
    idle > 0 && words.held(formatCount(leased)),
    found < capacity && words.found(formatCount(found), formatCount(capacity)),
  ].filter((text) => text !== false)
  return (
    <>
      <div className={styles.slots}>
        <span
          className="bar"
          role="meter"
          aria-label={words.slotsOf(name)}
          aria-valuemin={0}
          aria-valuemax={whole}
          aria-valuenow={running}
          aria-valuetext={words.usedOf(formatCount(running), formatCount(found))}
        >
          {shares.map(({ process, inUse }) => (
            <i key={process} className={shadeOf(processes.indexOf(process))} style={width(inUse)} />
          ))}
          <i className={styles.held} style={width(idle)} />
          <i className={styles.free} />
          <i
            className={styles.lost}
            style={width(Math.max(0, capacity - Math.max(found, running)))}
          />
        </span>
        <span className={running >= found && found > 0 ? 'num warn medium' : 'num'}>
          {formatCount(running)} / {formatCount(found)}
        </span>
      </div>
      {details.length > 0 && <span className={styles.subLines}>{details.join(' · ')}</span>}
    </>
  )
}

function Capabilities({ missing }: { readonly missing: EngineRow['missing'] }) {
  if (missing === null) return <span className="ink-3">{words.notProbed}</span>
  if (missing.length === 0) return words.conforms
  return (
    <span className="row warn">
      <Dot tone="warn" />
      <span>
        {words.missing} <code>{missing.join(', ')}</code>
      </span>
    </span>
  )
}
