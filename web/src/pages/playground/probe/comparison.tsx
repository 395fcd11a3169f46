import { Check } from 'lucide-react'
import type { PlanModel } from '../../../api/routes.ts'
import { formatCount, formatMoney, formatRate, UNKNOWN } from '../../../format/number.ts'
import { formatDuration } from '../../../format/time.ts'
import { playground } from '../../../words/playground.ts'
import { costOfRun, estimateOf } from '../cost.ts'
import type { Run } from '../stream/run.ts'
import { tokensPerSecond } from '../stream/timing.ts'
import { betterOf, type Aim } from './better-of.ts'
import styles from './probe.module.css'

const words = playground.comparison

/** The newest requests of both columns, left and right. */
export type Pair = readonly [Run, Run]

type Row = {
  readonly name: string
  readonly aim: Aim
  readonly figure: (run: Run) => number | null
  readonly format: (run: Run) => string
}

/** The figures of two models side by side, with the better one marked once both have ended. */
export function Comparison({
  pair,
  models,
}: {
  readonly pair: Pair
  readonly models: readonly PlanModel[]
}) {
  const ended = pair.every(({ state }) => state === 'complete')
  return (
    <table className={styles.comparison} data-shows="comparison">
      <caption className="sr">{words.caption}</caption>
      <thead>
        <tr>
          <td />
          {pair.map(({ id, body }) => (
            <th key={id} scope="col" className="mono cut" title={body.model}>
              {body.model}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rowsOf(models).map(({ name, aim, figure, format }) => {
          const [one, two] = pair
          const better = ended ? betterOf(aim, figure(one), figure(two)) : undefined
          return (
            <tr key={name}>
              <th scope="row">{name}</th>
              {pair.map((run, index) => (
                <td key={run.id} className="num">
                  {format(run)}
                  {index === better && (
                    <span className={styles.better}>
                      <Check size={12} aria-hidden />
                      <span className="sr">{words.better}</span>
                    </span>
                  )}
                </td>
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function rowsOf(models: readonly PlanModel[]): readonly Row[] {
  const tokens = (run: Run) =>
    run.reply.usage?.completion_tokens ?? estimateOf(run).completionTokens
  const rate = (run: Run) => tokensPerSecond(run.timing, tokens(run))
  const cost = (run: Run) => {
    const model = models.find(({ id }) => id === run.body.model)
    return model === undefined ? null : costOfRun(run, model)
  }
  return [
    {
      name: playground.figures.first,
      aim: 'less',
      figure: ({ timing }) => timing.firstAt,
      format: ({ timing }) => formatDuration(timing.firstAt),
    },
    {
      name: playground.figures.rate,
      aim: 'more',
      figure: rate,
      format: (run) => formatRate(rate(run)),
    },
    {
      name: words.cost,
      aim: 'less',
      figure: (run) => cost(run)?.money.amount_micro ?? null,
      format: (run) => moneyText(cost(run)),
    },
    // A longer answer is neither better nor worse.
    { name: words.length, aim: 'none', figure: tokens, format: (run) => formatCount(tokens(run)) },
  ]
}

function moneyText(cost: ReturnType<typeof costOfRun>): string {
  if (cost === null) return UNKNOWN
  const money = formatMoney(cost.money, 6)
  return cost.exact ? money : playground.about(money)
}
