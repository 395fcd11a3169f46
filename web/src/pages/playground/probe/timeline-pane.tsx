import { Link } from '@tanstack/react-router'
import { Check, ChevronRight } from 'lucide-react'
import type { PlanModel } from '../../../api/routes.ts'
import { formatCount, formatRate, UNKNOWN } from '../../../format/number.ts'
import { formatDuration } from '../../../format/time.ts'
import { Dot, Tag } from '../../../parts/tag.tsx'
import { playground } from '../../../words/playground.ts'
import { estimateOf } from '../cost.ts'
import type { Run } from '../stream/run.ts'
import { tokensPerSecond } from '../stream/timing.ts'
import { isActive } from '../columns.ts'
import { Comparison, type Pair } from './comparison.tsx'
import { Lanes } from './lanes.tsx'
import { Marks } from './marks.tsx'
import { lengthOf, scaleOf } from './timeline-paths.ts'
import { sizeText } from './size-text.ts'
import styles from './probe.module.css'

/** Timelines of earlier requests below the newest one. */
const EARLIER_MAX = 4

export function TimelinePane({
  runs,
  pair,
  models,
  slug,
}: {
  readonly runs: readonly Run[]
  /** Two models are compared. */
  readonly pair: Pair | undefined
  readonly models: readonly PlanModel[]
  readonly slug: string
}) {
  const [run, ...others] = pair === undefined ? runs : [...pair, ...without(runs, pair)]
  if (run === undefined) return null
  const earlier = others.slice(0, EARLIER_MAX)
  const lengths = [run, ...earlier].map((each) => lengthNow(each))
  const scale = scaleOf(Math.max(...lengths))
  const numberOf = (each: Run) => runs.length - runs.indexOf(each)
  const isCompared = pair !== undefined
  return (
    <div className={styles.pane}>
      {pair !== undefined && <Comparison pair={pair} models={models} />}
      <Head run={run} number={numberOf(run)} isCompared={isCompared} slug={slug} />
      <Lanes run={run} name={nameOf(run, numberOf(run), isCompared)} scale={scale} withAxis />
      {pair === undefined && <Figures run={run} />}
      {pair === undefined && <Marks run={run} />}
      {earlier.map((each) => (
        <div key={each.id} className={styles.split}>
          <Head run={each} number={numberOf(each)} isCompared={isCompared} slug={slug} />
          <Lanes run={each} name={nameOf(each, numberOf(each), isCompared)} scale={scale} />
        </div>
      ))}
    </div>
  )
}

function without(runs: readonly Run[], pair: Pair): Run[] {
  return runs.filter((run) => !pair.includes(run))
}

function lengthNow(run: Run): number {
  return lengthOf(run.timing, performance.now() - run.sentAt)
}

/** Beside another model, a request is known by its model. */
function nameOf(run: Run, number: number, isCompared: boolean): string {
  return isCompared ? run.body.model : playground.request(number)
}

function Head({
  run,
  number,
  isCompared,
  slug,
}: {
  readonly run: Run
  readonly number: number
  readonly isCompared: boolean
  readonly slug: string
}) {
  return (
    <div className="row">
      <h2 className={isCompared ? 'h2 mono cut' : 'h2'}>{nameOf(run, number, isCompared)}</h2>
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
  const time = formatDuration(lengthNow(run))
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
    [words.rate, formatRate(rate)],
    [words.events, formatCount(run.events.count)],
    [words.received, sizeText(run.bytes)],
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
