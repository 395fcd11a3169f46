import { Link } from '@tanstack/react-router'
import { Check, ChevronRight } from 'lucide-react'
import { formatCount, formatDecimal, UNKNOWN } from '../../../format/number.ts'
import { formatDuration } from '../../../format/time.ts'
import { Dot, Tag } from '../../../parts/tag.tsx'
import { playground } from '../../../words/playground.ts'
import { estimateOf } from '../cost.ts'
import type { Run } from '../stream/run.ts'
import { tokensPerSecond } from '../stream/timing.ts'
import { isActive } from '../talk.ts'
import { Lanes } from './lanes.tsx'
import { Marks } from './marks.tsx'
import { lengthOf } from './timeline-paths.ts'
import styles from './probe.module.css'

/** Timelines of earlier requests below the newest one. */
const EARLIER_MAX = 4
const KILO = 1000

export function TimelinePane({
  runs,
  slug,
}: {
  readonly runs: readonly Run[]
  readonly slug: string
}) {
  const [run, ...earlier] = runs
  if (run === undefined) return null
  return (
    <div className={styles.pane}>
      <Head run={run} number={runs.length} slug={slug} />
      <Lanes run={run} name={playground.request(runs.length)} withAxis />
      <Figures run={run} />
      <Marks run={run} />
      {earlier.slice(0, EARLIER_MAX).map((each, index) => (
        <div key={each.id} className={styles.split}>
          <Head run={each} number={runs.length - 1 - index} slug={slug} />
          <Lanes run={each} name={playground.request(runs.length - 1 - index)} />
        </div>
      ))}
    </div>
  )
}

function Head({
  run,
  number,
  slug,
}: {
  readonly run: Run
  readonly number: number
  readonly slug: string
}) {
  return (
    <div className="row">
      <h2 className="h2">{playground.request(number)}</h2>
      <StateTag run={run} />
      {run.requestId !== null && !isActive(run) && (
        <Link
          className="quiet-link xs push"
          to="/o/$slug/requests/$request"
          params={{ slug, request: run.requestId }}
        >
          {playground.explain}
          <ChevronRight size={14} aria-hidden />
        </Link>
      )}
    </div>
  )
}

function StateTag({ run }: { readonly run: Run }) {
  const { state } = run
  const time = formatDuration(lengthOf(run.timing, performance.now() - run.sentAt))
  if (state === 'waiting' || state === 'streaming')
    return (
      <Tag tone="accent">
        <Dot tone="live" /> {playground.running(time)}
      </Tag>
    )
  if (state === 'complete')
    return (
      <Tag>
        <Check size={12} aria-hidden /> {playground.states.complete(time)}
      </Tag>
    )
  return <Tag tone={state === 'stopped' ? 'warn' : 'bad'}>{playground.states[state](time)}</Tag>
}

function Figures({ run }: { readonly run: Run }) {
  const { timing, reply } = run
  const completion = reply.usage?.completion_tokens ?? estimateOf(run).completionTokens
  const rate = tokensPerSecond(timing, completion)
  const gap = timing.longestGap
  const words = playground.figures
  const figures = [
    [words.first, formatDuration(timing.firstAt)],
    [words.gap, gap === null ? UNKNOWN : formatDuration(gap.to - gap.from)],
    [words.rate, formatDecimal(rate, 1)],
    [words.events, formatCount(run.events.count)],
    [words.received, playground.kilobytes(formatDecimal(run.bytes / KILO, 1))],
    [words.keepAlives, formatCount(timing.keepAlives)],
  ] as const
  return (
    <dl className={styles.timings}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="num">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
