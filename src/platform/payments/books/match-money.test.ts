import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY_MS } from '../../../lib/time.ts'
import { matchMoney, type Matched, type MoneyEntry, type MoneyLine } from './match-money.ts'

const DAYS = 8
const BEGIN_MS = Date.parse('2026-11-01T00:00:00Z')
/** Late enough for every entry. */
const RIPE_AT = new Date(BEGIN_MS + 100 * DAY_MS)

const timeAt = (hours: number) => new Date(BEGIN_MS + hours * 3_600_000)
const dayOf = (at: Date) => at.toISOString().slice(0, 10)

type Step = { readonly amount: number; readonly hour: number; readonly lateHours: number }
type Thing = Pick<MoneyLine, 'about'> & { readonly steps: readonly Step[] }
type Books = { readonly lines: readonly MoneyLine[]; readonly entries: readonly MoneyEntry[] }

const hour = fc.integer({ min: 0, max: DAYS * 24 - 1 })
const step = (amount: number) =>
  fc.record({ amount: fc.constant(amount), hour, lateHours: fc.integer({ min: 0, max: 200 }) })
const amount = fc.integer({ min: 1, max: 5 })

/** Money that goes and may come back, several times: refunds that fail, disputes that are won. */
const returned = (about: 'refund' | 'dispute') =>
  fc.tuple(amount, fc.integer({ min: 1, max: 3 })).chain(([of, moves]) =>
    fc.record({
      about: fc.constant(about),
      steps: fc.tuple(
        ...Array.from({ length: moves }, (_, index) => step(index % 2 === 0 ? -of : of)),
      ),
    }),
  )
const thing: fc.Arbitrary<Thing> = fc.oneof(
  amount.chain((of) =>
    fc.record({ about: fc.constant('payment' as const), steps: fc.tuple(step(of)) }),
  ),
  returned('refund'),
  returned('dispute'),
)

/** The books of both sides, in which every movement has its entry, perhaps days later. */
function booksOf(things: readonly Thing[]): Books {
  const lines: MoneyLine[] = []
  const entries: MoneyEntry[] = []
  for (const [index, { about, steps }] of things.entries())
    for (const each of steps) {
      const object = `${about}_${index}`
      const common = { about, object, amount: each.amount, paymentId: null }
      const [at, late] = [timeAt(each.hour), timeAt(each.hour + each.lateHours)]
      const ref = `txn_${lines.length}`
      lines.push({ ...common, ref, at, day: dayOf(at), currency: 'USD' })
      entries.push({ ...common, at: late, day: dayOf(late) })
    }
  return { lines, entries }
}

const ALL_DAYS = Array.from({ length: 30 }, (_, index) => dayOf(timeAt(index * 24)))

function compareAll({ lines, entries }: Books): Matched[] {
  return ALL_DAYS.map((day) =>
    matchMoney({ day, currency: 'USD', ripeAt: RIPE_AT }, lines, entries),
  )
}

const itemsOf = (all: readonly Matched[]) => all.flatMap(({ items }) => items)
const history = fc.array(thing, { minLength: 1, maxLength: 12 }).map(booksOf)
const historyAndPick = fc.tuple(history, fc.nat())

test('books that agree differ on no day, however late entries were made', () => {
  fc.assert(
    fc.property(history, (books) => {
      const all = compareAll(books)
      assert.deepEqual(itemsOf(all), [])
      for (const { theirs, ours } of all) assert.deepEqual(ours, theirs)
    }),
  )
})

/** Each makes the books disagree in one place. */
const MISTAKES: Readonly<Record<string, (books: Books, pick: number) => Books>> = {
  'a lost entry': ({ lines, entries }, pick) => ({
    lines,
    entries: entries.toSpliced(pick % entries.length, 1),
  }),
  'a lost movement': ({ lines, entries }, pick) => ({
    lines: lines.toSpliced(pick % lines.length, 1),
    entries,
  }),
  'an entry that was made twice': ({ lines, entries }, pick) => ({
    lines,
    entries: [...entries, entries[pick % entries.length]!],
  }),
  'an entry of another amount': ({ lines, entries }, pick) => {
    const at = pick % entries.length
    return { lines, entries: entries.with(at, { ...entries[at]!, amount: 77 }) }
  },
  'an entry of another object': ({ lines, entries }, pick) => {
    const at = pick % entries.length
    return { lines, entries: entries.with(at, { ...entries[at]!, object: 'another' }) }
  },
  'a movement in another currency': ({ lines, entries }, pick) => {
    const at = pick % lines.length
    return { lines: lines.with(at, { ...lines[at]!, currency: 'EUR' }), entries }
  },
}

for (const [name, make] of Object.entries(MISTAKES))
  test(`${name} is found`, () => {
    fc.assert(
      fc.property(historyAndPick, ([books, pick]) => {
        assert.notDeepEqual(itemsOf(compareAll(make(books, pick))), [])
      }),
    )
  })

test('the sides of all days differ by what is listed, and by nothing else', () => {
  const mistakes = fc.array(fc.tuple(fc.constantFrom(...Object.values(MISTAKES)), fc.nat()), {
    maxLength: 4,
  })
  fc.assert(
    fc.property(history, mistakes, (books, made) => {
      const wrong = made.reduce(
        (sofar, [make, pick]) =>
          sofar.lines.length === 0 || sofar.entries.length === 0 ? sofar : make(sofar, pick),
        books,
      )
      const all = compareAll(wrong)
      const sum = (side: 'theirs' | 'ours') =>
        all.reduce((total, { [side]: { charges, refunds, disputes } }) => {
          return total + charges + refunds + disputes
        }, 0)
      const listed = itemsOf(all)
        .filter(({ currency }) => currency === 'USD')
        .reduce((total, item) => total + (item.missing === 'entry' ? 1 : -1) * item.amount, 0)
      assert.equal(sum('theirs') - sum('ours'), listed)
    }),
  )
})

const LINE: MoneyLine = {
  ref: 'txn_1',
  about: 'refund',
  object: 're_1',
  day: '2026-11-02',
  at: timeAt(30),
  amount: -5,
  currency: 'USD',
  paymentId: null,
}
const ENTRY: MoneyEntry = { ...LINE, at: timeAt(31) }
const ON_DAY = { day: '2026-11-02', currency: 'USD' }

test('an entry may wait three days for its movement', () => {
  const early = matchMoney({ ...ON_DAY, ripeAt: timeAt(30) }, [], [ENTRY])
  assert.deepEqual([early.awaited, early.items], [1, []])
  const late = matchMoney({ ...ON_DAY, ripeAt: timeAt(31) }, [], [ENTRY])
  assert.deepEqual([late.awaited, late.items.map(({ missing }) => missing)], [0, ['line']])
  assert.equal(late.ours.refunds, -5)
})

test('a refund that failed before anybody saw it needs no entries', () => {
  const back = { ...LINE, ref: 'txn_2', amount: 5, at: timeAt(50), day: '2026-11-03' }
  for (const day of [LINE.day, back.day]) {
    const { items, theirs, ours } = matchMoney(
      { ...ON_DAY, day, ripeAt: RIPE_AT },
      [LINE, back],
      [],
    )
    assert.deepEqual([items, ours], [[], theirs])
  }
})

test('a movement in another currency leaves its entry alone, and both are listed', () => {
  const foreign = { ...LINE, currency: 'EUR' }
  const { items, theirs } = matchMoney({ ...ON_DAY, ripeAt: RIPE_AT }, [foreign], [ENTRY])
  assert.deepEqual(
    items.map(({ missing, currency }) => [missing, currency]),
    [
      ['entry', 'EUR'],
      ['line', 'USD'],
    ],
  )
  assert.equal(theirs.refunds, 0)
})

test('what has no other side is listed on its own day only', () => {
  const other = { ...ON_DAY, day: '2026-11-05', ripeAt: RIPE_AT }
  for (const [lines, entries] of [
    [[LINE], []],
    [[], [ENTRY]],
  ] as const) {
    assert.deepEqual(matchMoney(other, lines, entries).items, [])
    assert.equal(matchMoney({ ...other, day: LINE.day }, lines, entries).items.length, 1)
  }
})
