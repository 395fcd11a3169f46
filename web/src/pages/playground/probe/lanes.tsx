import { formatDecimal } from '../../../format/number.ts'
import { formatDuration } from '../../../format/time.ts'
import { playground } from '../../../words/playground.ts'
import type { Run } from '../stream/run.ts'
import type { Lane } from '../stream/timing.ts'
import { isActive } from '../columns.ts'
import { lengthOf, pathOf, ticksOf } from './timeline-paths.ts'
import { LINE, SOFT } from './lane-colours.ts'
import styles from './probe.module.css'

const WIDTH = 376
const LEFT = 68
const RIGHT = 4
const AXIS = 16
const ROW = 24
const BAR = 18
const LANES: readonly Lane[] = ['reasoning', 'text', 'tool']
const TICK_DISTANCE = 1.8
const LABEL_ROOM = 56

/** A lane each for waiting, reasoning, text and tool calls: one line for each event. */
export function Lanes({
  run,
  name,
  withAxis = false,
  scale,
}: {
  readonly run: Run
  readonly name: string
  readonly withAxis?: boolean
  /** The end of the axis in milliseconds, the same for all timelines beside each other. */
  readonly scale: number
}) {
  const { timing } = run
  const length = lengthOf(timing, performance.now() - run.sentAt)
  const x = (at: number) => LEFT + ((WIDTH - LEFT - RIGHT) * Math.min(at, scale)) / scale
  const top = withAxis ? AXIS : 2
  const bottom = top + ROW * (LANES.length + 1)
  const waited = timing.firstAt ?? length
  return (
    <div className={`chart ${styles.lanes}`}>
      <svg
        viewBox={`0 0 ${WIDTH} ${bottom + (withAxis ? GAP_ROOM : 4)}`}
        role="img"
        aria-label={playground.timelineOf(name)}
      >
        {ticksOf(scale).map((at) => (
          <g key={at}>
            <line className="gridline" x1={x(at)} x2={x(at)} y1={top} y2={bottom} />
            {withAxis && (
              <text x={x(at)} y={AXIS - 5} textAnchor={at === scale ? 'end' : 'middle'}>
                {formatSeconds(at)}
              </text>
            )}
          </g>
        ))}
        <text x="0" y={top + 16} className={styles.laneName}>
          {playground.lanes.waiting}
        </text>
        <rect
          className={SOFT.waiting}
          x={LEFT}
          y={top + 3}
          width={x(waited) - LEFT}
          height={BAR}
          rx="2"
        />
        <path
          className={LINE.waiting}
          strokeDasharray="2 2"
          d={`M${LEFT} ${top + 12}H${x(waited)}`}
        />
        {LANES.map((lane, index) => (
          <LaneRow
            key={lane}
            lane={lane}
            instants={timing.lanes[lane]}
            x={x}
            y={top + ROW * (index + 1) + 3}
          />
        ))}
        {withAxis && <Gap run={run} x={x} y={bottom} />}
        <End at={x(length)} top={top} bottom={bottom} run={run} />
      </svg>
    </div>
  )
}

const TENTH_MS = 1000

function formatSeconds(at: number): string {
  return `${formatDecimal(at / 1000, at % TENTH_MS === 0 ? 0 : at % 100 === 0 ? 1 : 2)} s`
}

function LaneRow({
  lane,
  instants,
  x,
  y,
}: {
  readonly lane: Lane
  readonly instants: readonly number[]
  readonly x: (at: number) => number
  readonly y: number
}) {
  const [first] = instants
  const last = instants.at(-1)
  return (
    <>
      <text x="0" y={y + 13} className={styles.laneName}>
        {playground.lanes[lane]}
      </text>
      {first === undefined || last === undefined ? (
        <text x={LEFT + 6} y={y + 13}>
          {playground.none}
        </text>
      ) : (
        <>
          <rect
            className={SOFT[lane]}
            x={x(first)}
            y={y}
            width={Math.max(1, x(last) - x(first))}
            height={BAR}
            rx="2"
          />
          <path
            className={LINE[lane]}
            d={pathOf(instants, { x, y: y + 2, height: BAR - 4, least: TICK_DISTANCE })}
          />
        </>
      )}
    </>
  )
}

/** Below the lanes, for the longest gap. */
const GAP_ROOM = 20
const GAP_WIDTH_MIN = 3

/** The longest gap, if it can be seen. */
function Gap({
  run,
  x,
  y,
}: {
  readonly run: Run
  readonly x: (at: number) => number
  readonly y: number
}) {
  const gap = run.timing.longestGap
  if (gap === null || x(gap.to) - x(gap.from) < GAP_WIDTH_MIN) return null
  const middle = Math.min((x(gap.from) + x(gap.to)) / 2, WIDTH - LABEL_ROOM / 2)
  return (
    <>
      <path
        d={`M${x(gap.from)} ${y - 2}v3H${x(gap.to)}v-3`}
        fill="none"
        stroke="var(--chart-cursor)"
      />
      <text x={middle} y={y + 14} textAnchor="middle">
        {formatDuration(gap.to - gap.from)}
      </text>
    </>
  )
}

function End({
  at,
  top,
  bottom,
  run,
}: {
  readonly at: number
  readonly top: number
  readonly bottom: number
  readonly run: Run
}) {
  const active = isActive(run)
  const label = active ? playground.now : run.state === 'complete' ? '[DONE]' : ''
  const isRoomy = at + LABEL_ROOM < WIDTH
  return (
    <>
      <line
        x1={at}
        x2={at}
        y1={top}
        y2={bottom}
        stroke="var(--chart-cursor)"
        strokeDasharray={active ? '2 2' : undefined}
      />
      <text x={isRoomy ? at + 5 : at - 5} y={top + 16} textAnchor={isRoomy ? 'start' : 'end'}>
        {label}
      </text>
    </>
  )
}
