import { formatDecimal } from '../../../format/number.ts'
import { formatDuration } from '../../../format/time.ts'
import { playground } from '../../../words/playground.ts'
import type { Run } from '../stream/run.ts'
import { isActive } from '../columns.ts'
import { lengthOf } from './timeline-paths.ts'
import { SWATCH, type LaneName } from './lane-colours.ts'
import styles from './probe.module.css'

type Mark = { readonly at: number; readonly lane: LaneName; readonly text: string }

const DECIMALS = 3
const SECOND_MS = 1000

/** The timeline in words. */
export function Marks({ run }: { readonly run: Run }) {
  return (
    <ol className={styles.marks} data-shows="marks">
      {marksOf(run).map(({ at, lane, text }) => (
        <li key={text}>
          <span className="mono num">{formatDecimal(at / SECOND_MS, DECIMALS)}</span>
          <i className={`swatch ${SWATCH[lane]}`} aria-hidden />
          <span>{text}</span>
        </li>
      ))}
    </ol>
  )
}

function marksOf(run: Run): Mark[] {
  const { timing, status, state } = run
  const words = playground.marks
  const firsts = (['reasoning', 'text', 'tool'] as const).flatMap((lane): Mark[] => {
    const [at] = timing.lanes[lane]
    return at === undefined ? [] : [{ at, lane, text: words[lane] }]
  })
  const marks: Mark[] = [{ at: 0, lane: 'waiting', text: words.sent }, ...firsts]
  if (timing.headersAt !== null && status !== null)
    marks.push({ at: timing.headersAt, lane: 'waiting', text: words.headers(status) })
  const gap = timing.longestGap
  if (gap !== null)
    marks.push({ at: gap.to, lane: 'waiting', text: words.gap(formatDuration(gap.to - gap.from)) })
  const ending = state === 'waiting' || state === 'streaming' ? words.running : words[state]
  const end = lengthOf(timing, performance.now() - run.sentAt)
  return [
    ...marks.toSorted((one, other) => one.at - other.at),
    { at: end, lane: isActive(run) ? 'text' : 'waiting', text: ending },
  ]
}
