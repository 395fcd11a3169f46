import { formatAmount } from '../../format/number.ts'
import { keys } from '../../words/keys.ts'

const words = keys.sums

/** In micro-units. */
export type Costs = {
  readonly these: number
  readonly rest: number
  readonly playground: number
  readonly currency: string
  /** All working keys are among these. */
  readonly isWhole: boolean
}

/** What keys cost, and what else the organization used, as a sum; alone, they are the sum. */
export function sayCosts({ these, rest, playground, currency, isWhole }: Costs): string {
  const say = (micro: number) => `${formatAmount(micro)} ${currency}`
  const others = [
    ...(rest > 0 ? [(isWhole ? words.ended : words.others)(say(rest))] : []),
    ...(playground > 0 ? [words.playground(say(playground))] : []),
  ]
  if (others.length === 0) return words.only(say(these))
  return words.total(
    [words.these(say(these)), ...others].join(', '),
    say(these + rest + playground),
  )
}
