import type { CompareAbout, DayItem, DaySums } from '../../../store/payments/books/provider-days.ts'

/** A movement of money at the provider for an object of ours. */
export type MoneyLine = {
  readonly ref: string
  readonly about: CompareAbout
  readonly object: string
  /** The UTC day at the provider. */
  readonly day: string
  readonly at: Date
  /** Negative if it left. */
  readonly amount: number
  readonly currency: string
  readonly paymentId: string | null
}

/** What transfers moved into the ledger's account of the provider, or out of it, at once. */
export type MoneyEntry = {
  readonly about: CompareAbout
  readonly object: string
  readonly day: string
  readonly at: Date
  readonly amount: number
  readonly paymentId: string | null
}

export type MatchedDay = {
  readonly day: string
  readonly currency: string
  /** An entry that is younger may still get its movement. */
  readonly ripeAt: Date
}

export type Matched = {
  readonly theirs: DaySums
  readonly ours: DaySums
  /** What has no other side. */
  readonly items: readonly DayItem[]
  readonly awaited: number
}

/**
 * Matches movements with entries of the same objects and amounts, whenever either was made, and
 * tells what this means for one day: its movements, each with its entry, and its entries that have
 * none. It must be given all movements and entries of each object.
 *
 * A movement and its return that nobody saw in between need no entries, and the other way round.
 */
export function matchMoney(
  { day, currency, ripeAt }: MatchedDay,
  lines: readonly MoneyLine[],
  entries: readonly MoneyEntry[],
): Matched {
  const own = lines.filter((line) => line.currency === currency)
  const foreign = lines.filter((line) => line.currency !== currency)
  const { left, right } = pair(own, entries)
  const missing = withoutReturns(left)
  const lone = withoutReturns(right).filter((entry) => entry.day === day)
  const ripe = lone.filter(({ at }) => at <= ripeAt)
  const wrong = new Set([...missing, ...foreign])
  const onDay = lines.filter((line) => line.day === day)
  const agreed = onDay.filter((line) => !wrong.has(line))
  return {
    theirs: sumOf(onDay.filter((line) => line.currency === currency)),
    ours: sumOf([...agreed, ...ripe]),
    items: [
      ...onDay.filter((line) => wrong.has(line)).map((line) => itemOf(line, 'entry', line)),
      ...ripe.map((entry) => itemOf({ ...entry, currency }, 'line')),
    ],
    awaited: lone.length - ripe.length,
  }
}

type Movement = Pick<MoneyEntry, 'about' | 'object' | 'amount' | 'at'>

/** What has no partner of the same object and amount; the oldest find one first. */
function pair<Left extends Movement, Right extends Movement>(
  lefts: readonly Left[],
  rights: readonly Right[],
): { readonly left: readonly Left[]; readonly right: readonly Right[] } {
  const waiting = Map.groupBy(rights.toSorted(byTime), keyOf)
  const left = lefts
    .toSorted(byTime)
    .filter((each) => waiting.get(keyOf(each))?.shift() === undefined)
  return { left, right: [...waiting.values()].flat() }
}

/** Without what came back as it went. */
function withoutReturns<Each extends Movement>(all: readonly Each[]): readonly Each[] {
  const gone = all.filter(({ amount }) => amount < 0)
  const come = all.filter(({ amount }) => amount >= 0)
  const turned = come.map((each) => ({ ...each, amount: -each.amount, each }))
  const { left, right } = pair(gone, turned)
  return [...left, ...right.map(({ each }) => each)]
}

function keyOf({ about, object, amount }: Movement): string {
  return `${about} ${object} ${amount}`
}

function byTime(one: Movement, other: Movement): number {
  return one.at.getTime() - other.at.getTime()
}

function sumOf(all: readonly Pick<Movement, 'about' | 'amount'>[]): DaySums {
  const of = (about: CompareAbout) =>
    all.reduce((sum, each) => (each.about === about ? sum + each.amount : sum), 0)
  return { charges: of('payment'), refunds: of('refund'), disputes: of('dispute') }
}

function itemOf(
  { about, object, paymentId, amount, currency }: Omit<MoneyLine, 'ref' | 'day' | 'at'>,
  missing: DayItem['missing'],
  line?: MoneyLine,
): DayItem {
  return { about, ref: object, line: line?.ref ?? null, paymentId, amount, currency, missing }
}
