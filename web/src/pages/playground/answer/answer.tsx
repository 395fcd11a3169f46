import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { memo, useState } from 'react'
import type { PlanModel } from '../../../api/routes.ts'
import { formatCount, formatMoney, formatRate } from '../../../format/number.ts'
import { formatDuration } from '../../../format/time.ts'
import { playground } from '../../../words/playground.ts'
import { costOfRun, estimateOf } from '../cost.ts'
import { Markdown } from '../markdown.tsx'
import { MessageActions, type Actions } from '../message-actions.tsx'
import type { Run } from '../stream/run.ts'
import { tokensPerSecond } from '../stream/timing.ts'
import { isActive, type AnswerEntry } from '../columns.ts'
import { useRun } from '../use-run.ts'
import { asksForJson, JsonAnswer } from './json-answer.tsx'
import { Outcome } from './outcome.tsx'
import { ToolCalls } from './tool-calls.tsx'
import styles from '../talk.module.css'

export type AnswerProps = {
  readonly entry: AnswerEntry
  readonly model: PlanModel | undefined
  readonly slug: string
  readonly organization: string
  readonly isLast: boolean
  /** Whether any answer is running. */
  readonly running: boolean
  readonly actions: Actions
  readonly onAgain: () => void
  readonly onResults: (id: number, results: Readonly<Record<string, string>>) => void
}

/** One answer: reasoning, text, tool calls, how it ended, and what it cost. */
export const Answer = memo(function Answer(props: AnswerProps) {
  const { entry, isLast } = props
  const { run } = entry
  useRun(run)
  const { reasoning, text, calls } = run.reply
  const active = isActive(run)
  return (
    <article
      className={styles.turn}
      data-shows="answer"
      aria-busy={active}
      aria-label={playground.assistant}
    >
      <div className={styles.turnHead}>
        <span className={styles.who}>{playground.assistant}</span>
        {!active && (
          <MessageActions
            text={text}
            disabled={props.running}
            onRegenerate={() => props.actions.regenerate(entry.id)}
            onBranch={() => props.actions.branch(entry.id)}
            onRemove={() => props.actions.remove(entry.id)}
          />
        )}
      </div>
      {active && run.timing.firstAt === null && (
        <span className={styles.think}>
          <i className="dot live" aria-hidden /> {playground.waiting}
        </span>
      )}
      {reasoning !== '' && <Reasoning run={run} />}
      {text !== '' && <AnswerText run={run} />}
      {active && text !== '' && calls.length === 0 && <span className={styles.caret} aria-hidden />}
      {calls.length > 0 && (
        <ToolCalls
          run={run}
          results={entry.results}
          open={isLast && !active}
          onSend={(results) => props.onResults(entry.id, results)}
        />
      )}
      <Outcome
        run={run}
        organization={props.organization}
        onAgain={isLast ? props.onAgain : undefined}
      />
      <Foot run={run} model={props.model} slug={props.slug} />
    </article>
  )
})

function AnswerText({ run }: { readonly run: Run }) {
  const { text } = run.reply
  const ended = !isActive(run)
  if (asksForJson(run.body)) return <JsonAnswer text={text} body={run.body} ended={ended} />
  return <Markdown text={text} ended={ended} />
}

/** Folded: the line says how long it took. It streams while it is open. */
function Reasoning({ run }: { readonly run: Run }) {
  const [open, setOpen] = useState(false)
  const { reply, timing } = run
  const [first = 0] = timing.lanes.reasoning
  const isOver = !isActive(run) || reply.text !== '' || reply.calls.length > 0
  const last = timing.lanes.reasoning.at(-1) ?? first
  const tokens = reply.usage?.completion_tokens_details.reasoning_tokens
  return (
    <div className={styles.reasoning}>
      <button
        type="button"
        className={styles.think}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <ChevronRight size={16} aria-hidden />
        {isOver
          ? playground.reasoned(
              last - first < 1 ? null : formatDuration(last - first),
              tokens === undefined || tokens === 0 ? null : formatCount(tokens),
            )
          : playground.reasoning}
      </button>
      {open && (
        <div className={styles.thoughts} data-shows="thoughts">
          {reply.reasoning}
        </div>
      )}
    </div>
  )
}

function Foot({
  run,
  model,
  slug,
}: {
  readonly run: Run
  readonly model: PlanModel | undefined
  readonly slug: string
}) {
  const { usage, finish } = run.reply
  const active = isActive(run)
  if (run.timing.firstAt === null && usage === null) return null
  const counts = estimateOf(run)
  const completion = usage?.completion_tokens ?? counts.completionTokens
  const rate = tokensPerSecond(run.timing, completion)
  const about = usage === null ? '≈ ' : ''
  return (
    <div className={styles.turnFoot}>
      {active && <i className="dot live" aria-hidden />}
      {finish !== null && (
        <span>
          {playground.finish} <span className="mono">{finish}</span>
        </span>
      )}
      {rate !== null && <span className="num">{playground.perSecond(formatRate(rate))}</span>}
      <span className="num">
        {about}
        {playground.counts(
          formatCount(usage?.prompt_tokens ?? counts.promptTokens),
          formatCount(usage?.prompt_tokens_details.cached_tokens ?? 0),
          formatCount(completion),
        )}
      </span>
      <Cost run={run} model={model} slug={slug} />
    </div>
  )
}

/** Exact once the service has reported the usage; the link leads to the request's page. */
function Cost({
  run,
  model,
  slug,
}: {
  readonly run: Run
  readonly model: PlanModel | undefined
  readonly slug: string
}) {
  const cost = model === undefined ? null : costOfRun(run, model)
  const money = cost === null ? null : formatMoney(cost.money, 6)
  if (isActive(run) || run.requestId === null)
    return money === null ? null : <span className="push num">{playground.about(money)}</span>
  const label =
    money === null ? playground.openRequest : cost?.exact === true ? money : playground.about(money)
  return (
    <Link
      className="link push num"
      to="/o/$slug/requests/$request"
      params={{ slug, request: run.requestId }}
      title={playground.openRequest}
    >
      {label}
    </Link>
  )
}
