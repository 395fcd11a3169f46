import * as fc from 'fast-check'

/** What happens to the balance of an organization, in whole amounts and hours. */
export type Step =
  /** Without hours it does not expire. */
  | { readonly kind: 'give'; readonly amount: number; readonly hours: number | null }
  /** A running request holds it, at most what is left. */
  | { readonly kind: 'hold'; readonly amount: number }
  /** Usage is posted: of what is held, or beyond it. */
  | { readonly kind: 'use'; readonly amount: number; readonly isHeld: boolean }
  | { readonly kind: 'release' }
  /** A record of usage is replaced by a smaller one. */
  | { readonly kind: 'correct'; readonly amount: number }
  /** A refund, a dispute or an adjustment. */
  | { readonly kind: 'deduct'; readonly amount: number }
  | { readonly kind: 'wait'; readonly hours: number }
  | { readonly kind: 'expire' }

const amount = fc.integer({ min: 1, max: 60 })
const hours = fc.integer({ min: 1, max: 8 })

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('give' as const), amount, hours }),
  fc.record({ kind: fc.constant('give' as const), amount, hours: fc.constant(null) }),
  fc.record({ kind: fc.constant('hold' as const), amount }),
  fc.record({ kind: fc.constant('use' as const), amount, isHeld: fc.boolean() }),
  fc.record({ kind: fc.constant('release' as const) }),
  fc.record({ kind: fc.constant('correct' as const), amount }),
  fc.record({ kind: fc.constant('deduct' as const), amount }),
  fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('expire' as const) }),
)

export const histories = fc.array(steps, { minLength: 1, maxLength: 40, size: 'max' })

type ModelLot = { readonly id: number; readonly endsAt: number; remaining: number }
type Entry = { readonly from: ModelLot | 'rest' | 'returned'; readonly amount: number }

/**
 * The balance as it should be: each step moves amounts at once, and the rest is an amount of its
 * own. What a smaller record gives back returns to where it came from, unless something else has
 * happened to lots since: then it goes to the rest, and is used before lots are until something
 * happens to them again.
 */
export class CreditModel {
  lots: ModelLot[] = []
  rest = 0
  spent = 0
  pending = 0
  #now = 0
  #given = 0
  #returned = 0
  #used: Entry[] = []

  get balance(): number {
    return this.lots.reduce((sum, { remaining }) => sum + remaining, this.rest)
  }

  get open(): ModelLot[] {
    const open = this.lots.filter(({ remaining }) => remaining > 0)
    return open.toSorted((one, other) => one.endsAt - other.endsAt || one.id - other.id)
  }

  isOver({ endsAt }: ModelLot): boolean {
    return endsAt + 1 <= this.#now
  }

  /** Returns the amount that the step is about. */
  take(step: Step): number {
    switch (step.kind) {
      case 'give':
        return this.#give(step.amount, step.hours)
      case 'hold': {
        const held = Math.max(0, Math.min(step.amount, this.balance - this.pending))
        this.pending += held
        return held
      }
      case 'use': {
        const used = step.isHeld ? Math.min(step.amount, this.pending) : step.amount
        if (step.isHeld) this.pending -= used
        return this.#use(used)
      }
      case 'release':
        this.pending = 0
        return 0
      case 'correct':
        return this.#correct(Math.min(step.amount, this.spent))
      case 'deduct':
        this.rest -= step.amount
        this.rest += this.#takeFromLots(Math.max(0, -this.rest))
        this.#end()
        return step.amount
      case 'wait':
        this.#now += step.hours
        return step.hours
      case 'expire':
        return this.#expire()
    }
  }

  #give(given: number, lasts: number | null): number {
    this.#given += 1
    if (lasts === null) {
      this.rest += given
      return given
    }
    const debt = Math.min(given, Math.max(0, -this.rest))
    this.rest += debt
    this.lots.push({ id: this.#given, endsAt: this.#now + lasts, remaining: given - debt })
    this.#end()
    return given
  }

  #use(amount_: number): number {
    this.spent += amount_
    let left = amount_
    const use = (from: Entry['from'], most: number) => {
      const part = Math.min(left, most)
      left -= part
      if (part > 0) this.#used.push({ from, amount: part })
      return part
    }
    const again = use('returned', this.#returned)
    this.#returned -= again
    this.rest -= again
    for (const lot of this.open) lot.remaining -= use(lot, lot.remaining)
    this.rest -= use('rest', left)
    return amount_
  }

  #correct(amount_: number): number {
    this.spent -= amount_
    let left = amount_
    while (left > 0) {
      const { from, amount: used } = this.#used.pop() ?? { from: 'returned', amount: left }
      const part = Math.min(left, used)
      left -= part
      if (part < used) this.#used.push({ from, amount: used - part })
      if (typeof from === 'object') from.remaining += part
      else this.rest += part
      if (from === 'returned') this.#returned += part
    }
    return amount_
  }

  #takeFromLots(wanted: number): number {
    let left = wanted
    for (const lot of this.open) {
      const part = Math.min(lot.remaining, left)
      lot.remaining -= part
      left -= part
    }
    return wanted - left
  }

  #expire(): number {
    if (!this.lots.some((lot) => this.isOver(lot))) return 0
    let held = this.pending
    let taken = 0
    for (const lot of this.open) {
      const kept = Math.min(lot.remaining, held)
      held -= kept
      if (!this.isOver(lot)) continue
      taken += lot.remaining - kept
      lot.remaining = kept
    }
    this.#end()
    return taken
  }

  /** From now on, nothing that was used returns to a lot. */
  #end(): void {
    this.lots = this.open
    this.#used = []
    this.#returned = 0
  }
}
