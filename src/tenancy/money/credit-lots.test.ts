import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  CreditModel,
  histories,
  type Step,
} from '../../../test/harness/figures/credit-histories.ts'
import { settleLots, sumOf, takeExpired } from './credit-lots.ts'

type OwnLot = {
  readonly id: number
  readonly endsAt: number
  readonly remaining: number
  readonly attributed: number
}

/** As the ledger does it: lots are settled only when something but usage changes them. */
class Ledger {
  lots: OwnLot[] = []
  funds = 0
  spent = 0
  #now = 0
  #made = 0

  get posted() {
    return { spent: this.spent, balance: this.funds - this.spent }
  }

  get settled(): OwnLot[] {
    return settleLots(this.lots, this.posted).filter(({ remaining }) => remaining > 0)
  }

  /** Returns what expired. */
  take(step: Step, amount: number, pending: number): number {
    const { spent } = this
    if (step.kind === 'wait') this.#now += step.hours
    if (step.kind === 'use') this.spent += amount
    if (step.kind === 'correct') this.spent -= amount
    if (step.kind === 'expire') return this.#expire(pending)
    if (step.kind === 'deduct') {
      this.funds -= amount
      this.lots = this.settled
    }
    if (step.kind !== 'give') return 0
    this.#made += 1
    if (step.hours !== null) {
      const endsAt = this.#now + step.hours
      const lot = { id: this.#made, endsAt, remaining: amount, attributed: spent }
      const lots = [...this.settled, lot]
      this.lots = lots.toSorted((one, other) => one.endsAt - other.endsAt || one.id - other.id)
    }
    this.funds += amount
    if (step.hours !== null) this.lots = this.settled
    return 0
  }

  #expire(pending: number): number {
    const isOver = ({ endsAt }: OwnLot) => endsAt + 1 <= this.#now
    if (!this.lots.some(isOver)) return 0
    const open = this.settled.map((lot) => ({ ...lot, isOver: isOver(lot) }))
    const parts = takeExpired(open, pending)
    const lots = open.map((lot, at) => ({ ...lot, remaining: lot.remaining - parts[at]! }))
    this.lots = lots.filter(({ remaining }) => remaining > 0)
    const taken = parts.reduce((sum, part) => sum + part, 0)
    this.funds -= taken
    return taken
  }
}

function follow(steps: readonly Step[]): void {
  const model = new CreditModel()
  const ledger = new Ledger()
  for (const step of steps) {
    const left = Math.max(0, model.balance - model.pending)
    const amount = model.take(step)
    const taken = ledger.take(step, amount, model.pending)
    assert.ok(taken <= left, 'expiry took what was used or held')
    const open = ledger.settled
    const view = (lots: readonly { readonly id: number; readonly remaining: number }[]) =>
      lots.map(({ id, remaining }) => [id, remaining])
    assert.deepEqual(view(open), view(model.open))
    const { balance } = ledger.posted
    assert.equal(sumOf(open) + model.rest, balance)
    assert.ok(open.length === 0 || model.rest >= 0, 'overdrawn while a lot has money')
  }
}

test('lots that are settled late are what they are when each step moves amounts at once', () => {
  fc.assert(fc.property(histories, follow), { numRuns: 2_000 })
})
