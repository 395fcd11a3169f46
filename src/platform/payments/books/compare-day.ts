import type { Kysely } from 'kysely'
import {
  entriesOf,
  linesOf,
  listMovedObjects,
  type MovedObject,
} from '../../../store/payments/books/moved-objects.ts'
import type { DayItem, DayResult, DaySums } from '../../../store/payments/books/provider-days.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import { hintAtMissing } from './hint-at-missing.ts'
import { matchMoney, type Matched, type MatchedDay } from './match-money.ts'

/** Objects whose movements and entries are in memory. */
const BATCH_OBJECTS = 500
/** Of a day: they are shown, and tell where to look. */
const ITEMS_MAX = 50

type Compared = Omit<DayResult, 'ignored'>

/** Compares what is stored of a day, and has read at the provider what has no entry. */
export async function compareDay(
  database: Kysely<Tables>,
  matching: MatchedDay,
): Promise<Compared> {
  let compared = NOTHING
  let last: MovedObject | undefined
  for (;;) {
    const objects = await listMovedObjects(database, matching.day, last, BATCH_OBJECTS)
    const [lines, entries] = [await linesOf(database, objects), await entriesOf(database, objects)]
    const matched = matchMoney(matching, lines, entries)
    await hintAtMissing(database, matched.items)
    compared = add(compared, matched)
    last = objects.at(-1)
    if (objects.length < BATCH_OBJECTS) return compared
  }
}

const NO_SUMS: DaySums = { charges: 0, refunds: 0, disputes: 0 }
const NOTHING: Compared = {
  theirs: NO_SUMS,
  ours: NO_SUMS,
  withoutEntry: 0,
  withoutLine: 0,
  awaited: 0,
  difference: 0,
  items: [],
}

function add(compared: Compared, { theirs, ours, items, awaited }: Matched): Compared {
  const count = (missing: DayItem['missing']) =>
    items.filter((item) => item.missing === missing).length
  return {
    theirs: addSums(compared.theirs, theirs),
    ours: addSums(compared.ours, ours),
    withoutEntry: compared.withoutEntry + count('entry'),
    withoutLine: compared.withoutLine + count('line'),
    awaited: compared.awaited + awaited,
    difference: items.reduce((sum, { amount }) => sum + Math.abs(amount), compared.difference),
    items: [...compared.items, ...items].slice(0, ITEMS_MAX),
  }
}

function addSums(one: DaySums, other: DaySums): DaySums {
  return {
    charges: one.charges + other.charges,
    refunds: one.refunds + other.refunds,
    disputes: one.disputes + other.disputes,
  }
}
