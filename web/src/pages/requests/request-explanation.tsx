import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatCount, formatMoney, formatDecimal } from '../../format/number.ts'
import { formatDuration } from '../../format/time.ts'
import { Copy } from '../../parts/copy.tsx'
import { Card } from '../../parts/page.tsx'
import { TableWrap } from '../../parts/table-wrap.tsx'
import { Instant } from '../../parts/time.tsx'
import { useMayPay } from '../../shell/payments.ts'
import { everywhere } from '../../words/everywhere.ts'
import { request as words } from '../../words/request.ts'
import { adviceOf, sentenceOf, type Explained } from './explain.ts'
import { Figures } from './figures.tsx'
import { RequestWalk } from './request-walk.tsx'
import styles from './requests.module.css'

export type FactRow = readonly [name: string, value: ReactNode]

/** What became of a request: the sentence, the steps, the cost as arithmetic. */
export function RequestExplanation({
  request,
  by,
  facts,
  slug,
  children,
}: {
  readonly request: Explained
  /** Who sent it, as a sentence. */
  readonly by: ReactNode
  /** What only some readers see. */
  readonly facts: readonly FactRow[]
  /** Without it nothing is linked: whoever has a link to a request has no other pages. */
  readonly slug?: string
  /** Below both columns. */
  readonly children?: ReactNode
}) {
  const refused = request.outcome === 'refused'
  return (
    <div className={`grid ${styles.request}`}>
      <div className="stack gap">
        <section
          className={refused ? `card ${styles.says} ${styles.isWarn}` : `card ${styles.says}`}
        >
          <p>
            <Figures text={sentenceOf(request)} />
          </p>
          <Lanes request={request} />
          <div className="row wrap">
            <span className="ink-3 xs">{words.facts.id}</span>
            <Copy value={request.id} what={everywhere.requestId} />
          </div>
        </section>
        <Card title={words.happened} meta={<Instant time={request.made_at} />}>
          <RequestWalk request={request} by={by} />
        </Card>
      </div>
      <div className="stack gap">
        {!refused && <Cost request={request} />}
        <Facts request={request} more={facts} />
        {(refused || request.outcome === 'failed') && <Advice request={request} slug={slug} />}
      </div>
      {children}
    </div>
  )
}

/** Waiting and answering as lengths; the words below say the same. */
function Lanes({ request }: { readonly request: Explained }) {
  const { first_token_ms: first, duration_ms: duration } = request
  if (first === null || duration === null || duration <= 0) return null
  const waiting = Math.min(100, (first / duration) * 100)
  return (
    <>
      <div className={styles.span} aria-hidden>
        <i className={styles.laneWaiting} style={{ width: `${waiting}%` }} />
        <i className={styles.laneText} style={{ width: `${100 - waiting}%` }} />
      </div>
      <ul className="legend">
        <li>
          <i className={`swatch ${styles.laneWaiting}`} aria-hidden />
          {words.lanes.waiting(formatDuration(first))}
        </li>
        <li>
          <i className={`swatch ${styles.laneText}`} aria-hidden />
          {words.lanes.answer(formatDuration(Math.max(0, duration - first)))}
        </li>
      </ul>
    </>
  )
}

const MICRO = 1_000_000

function Cost({ request: { calculation, cost } }: { readonly request: Explained }) {
  if (calculation === null || calculation.lines.length === 0 || cost === null)
    return (
      <Card title={words.cost.title}>
        <p className="card-body ink-2">{words.cost.none}</p>
      </Card>
    )
  const { lines, exact } = calculation
  return (
    <Card title={words.cost.title} meta={words.cost.meta(cost.currency)}>
      <TableWrap label={words.cost.table} className="card-body">
        <table className={styles.calc}>
          <caption className="sr">{words.cost.table}</caption>
          <tbody>
            {lines.map((line) => (
              <tr key={line.of}>
                <th scope="row">{words.cost.lines[line.of]}</th>
                <td className="num" data-value={line.tokens}>
                  {formatCount(line.tokens)}
                </td>
                <td className="num ink-3">× {priceText(line.price_per_million.amount_micro)}</td>
                <td className="num">{shorten(line.exact)}</td>
              </tr>
            ))}
            <tr>
              <th scope="row">{words.cost.sum}</th>
              <td />
              <td />
              <td className="num">{shorten(exact)}</td>
            </tr>
            <tr className={styles.total}>
              <th scope="row">{words.cost.rounded}</th>
              <td />
              <td />
              <td className="num" data-value={cost.amount_micro}>
                {formatMoney(cost, 6)}
              </td>
            </tr>
          </tbody>
        </table>
      </TableWrap>
    </Card>
  )
}

/** With two decimals, or as many as the price has. */
function priceText(micro: number): string {
  return formatDecimal(micro / MICRO, micro % 10_000 === 0 ? 2 : 6)
}

/** Twelve decimals are exact; zeros at their end say nothing. */
function shorten(exact: string): string {
  const end = exact.length - 12 + 6
  let last = exact.length
  while (last > end && exact[last - 1] === '0') last -= 1
  return exact.slice(0, last)
}

function Facts({
  request,
  more,
}: {
  readonly request: Explained
  readonly more: readonly FactRow[]
}) {
  const { facts } = words
  const { tokens, retention, model } = request
  const rows: readonly FactRow[] = [
    ...(model === null ? [] : ([[facts.model, <code key="m">{model}</code>]] as const)),
    ...more,
    ...(tokens === null
      ? []
      : ([
          [facts.inputTokens, formatCount(tokens.prompt_tokens)],
          [facts.cachedTokens, formatCount(tokens.cached_tokens)],
          [facts.outputTokens, formatCount(tokens.completion_tokens)],
          [facts.reasoningTokens, formatCount(tokens.reasoning_tokens)],
        ] as const)),
    ...(retention === null
      ? []
      : ([
          [
            facts.retention,
            <span key="r">
              <code>{retention}</code>: {words.retentions[retention]}
            </span>,
          ],
        ] as const)),
    ...(request.settled_at === null
      ? []
      : ([[facts.settled, <Instant key="s" time={request.settled_at} />]] as const)),
  ]
  return (
    <Card title={facts.title}>
      <dl className={styles.sideFacts}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="num">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

/** For whom it helps and who may; those who have only a link are not asked who they are. */
function AddMoney({ slug }: { readonly slug: string }) {
  if (!useMayPay()) return null
  return (
    <li>
      <Link className="link" to="/o/$slug/billing" params={{ slug }} search={{ add: '1' }}>
        {words.advice.addMoney}
      </Link>
    </li>
  )
}

function Advice({
  request,
  slug,
}: {
  readonly request: Explained
  readonly slug: string | undefined
}) {
  const advice = adviceOf(request)
  const limited = (request.error?.limits.length ?? 0) > 0
  return (
    <>
      {advice.length > 0 && (
        <Card title={words.advice.title}>
          <ul className={styles.advice}>
            {advice.map((line) => (
              <li key={line}>{line}</li>
            ))}
            {request.error?.code === 'insufficient_balance' && slug !== undefined && (
              <AddMoney slug={slug} />
            )}
            {limited && slug !== undefined && (
              <li>
                <Link className="link" to="/o/$slug/limits" params={{ slug }}>
                  {words.advice.limits}
                </Link>
              </li>
            )}
          </ul>
        </Card>
      )}
      {request.outcome === 'refused' && <p className="hint">{words.advice.kept}</p>}
    </>
  )
}
