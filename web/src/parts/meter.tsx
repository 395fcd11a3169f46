import { CircleAlert, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { LimitsNow } from '../api/use-live-limits.ts'
import {
  formatCompact,
  formatCount,
  formatDecimal,
  formatShare,
  UNKNOWN,
} from '../format/number.ts'
import { remainingAfter, resetAfter } from '../format/refill.ts'
import { formatHour, zoneName } from '../format/time.ts'
import { Slots } from './slots.tsx'
import { meters as words } from '../words/meters.ts'
import { useNow } from './now.ts'

export const METERS = [
  'requests_per_minute',
  'tokens_per_minute',
  'requests_per_day',
  'tokens_per_day',
] as const
export type MeterName = (typeof METERS)[number]

const DAY_MS = 86_400_000
const WARN = 0.8
const LONG_FIGURE = 1_000_000
/** Keeps the height of a line whose text is not known. */
export const NO_BREAK_SPACE = '\u00a0'
const TENTHS_BELOW_MS = 60_000

/** The four limits. Between reports they move by arithmetic; if nothing is known they say so. */
export function Meters({
  now: known,
  source,
  className = '',
}: {
  readonly now: LimitsNow
  /** Where a limit comes from, below its figures. */
  readonly source?: (name: MeterName) => ReactNode
  readonly className?: string | undefined
}) {
  const isUnknown = !known.known && !known.isLoading
  return (
    <>
      {isUnknown && (
        <div className="strip warn" role="status">
          <TriangleAlert size={16} aria-hidden />
          <span>
            <b>{words.unknown}</b> {words.unknownText}
          </span>
        </div>
      )}
      <section className={`card meters ${className}`.trim()} aria-label={words.title}>
        {METERS.map((name) => (
          <Meter key={name} name={name} known={known} source={source?.(name)} />
        ))}
      </section>
    </>
  )
}

function Meter({
  name,
  known,
  source,
}: {
  readonly name: MeterName
  readonly known: LimitsNow
  readonly source: ReactNode
}) {
  const now = useNow()
  const isDay = name.endsWith('day')
  const label = words.names[name]
  if (!known.known)
    return (
      <div className="meter">
        <div className="fig-label">{label}</div>
        <div className="fig ink-3">{UNKNOWN}</div>
        <Gauge share={0} isDay={isDay} now={now} />
        <div className="note">{NO_BREAK_SPACE}</div>
        {source !== undefined && <div className="note">{source}</div>}
      </div>
    )
  const reported = known.limits[name]
  const elapsed = now - known.receivedAt
  const left = remainingAfter(reported, elapsed, isDay ? 'at-once' : 'evenly')
  const { limit } = reported
  const used = Math.max(0, limit - left)
  const share = limit === 0 ? 1 : used / limit
  return (
    <div className="meter">
      <div className="fig-label">
        {label}
        <Warning share={share} used={used} limit={limit} />
      </div>
      <div className="fig">
        <Figure count={used} beside={limit} />{' '}
        <small>
          <Slots text={words.of} parts={{ limit: <Figure count={limit} beside={limit} /> }} />
        </small>
      </div>
      <Gauge share={share} isDay={isDay} now={now} label={label} used={used} limit={limit} />
      <div className="note">
        <span>{words.left(formatCount(left))}</span>
        <span className="opt">{whenFull(isDay, resetAfter(reported, elapsed), now)}</span>
      </div>
      {source !== undefined && <div className="note">{source}</div>}
    </div>
  )
}

/** With a large limit both figures are short on phones; the exact ones are in the meter's text. */
function Figure({ count, beside }: { readonly count: number; readonly beside: number }) {
  if (beside < LONG_FIGURE) return formatCount(count)
  return (
    <>
      <span className="only-wide">{formatCount(count)}</span>
      <span className="only-narrow" title={formatCount(count)}>
        {formatCompact(count)}
      </span>
    </>
  )
}

function Warning({
  share,
  used,
  limit,
}: {
  readonly share: number
  readonly used: number
  readonly limit: number
}) {
  if (share < WARN) return null
  const Icon = share >= 1 ? CircleAlert : TriangleAlert
  return (
    <span className={share >= 1 ? 'bad' : 'warn'}>
      <Icon size={12} aria-hidden />
      <span className="only-wide">{formatShare(used, limit)}</span>
    </span>
  )
}

function Gauge({
  share,
  isDay,
  now,
  label,
  used,
  limit,
}: {
  readonly share: number
  readonly isDay: boolean
  readonly now: number
  readonly label?: string
  readonly used?: number
  readonly limit?: number
}) {
  const tone = share >= 1 ? ' bad' : share >= WARN ? ' warn' : ''
  const dayOver = (now % DAY_MS) / DAY_MS
  const described =
    label === undefined
      ? {}
      : {
          role: 'meter',
          'aria-label': label,
          'aria-valuemin': 0,
          'aria-valuemax': limit,
          'aria-valuenow': used,
          'aria-valuetext': words.used(formatCount(used), formatCount(limit)),
        }
  return (
    <>
      <div className={`gauge${tone}`} {...described}>
        <i style={{ width: `${Math.min(1, share) * 100}%` }} />
        {isDay && (
          <b style={{ left: `${dayOver * 100}%` }} title={words.dayOver(formatShare(dayOver, 1))} />
        )}
      </div>
      <div className="staff" aria-hidden>
        <i />
        <i />
        <i />
        <i />
        <i />
      </div>
    </>
  )
}

function whenFull(isDay: boolean, resetMs: number, now: number): string {
  if (resetMs === 0) return words.full
  if (isDay) {
    const midnight = (Math.floor(now / DAY_MS) + 1) * DAY_MS
    return words.resetsAt(`${formatHour(midnight, 'local')} ${zoneName(midnight)}`)
  }
  const seconds = resetMs / 1000
  const digits = resetMs < TENTHS_BELOW_MS ? 1 : 0
  return words.fullIn(`${formatDecimal(seconds, digits)} s`)
}
