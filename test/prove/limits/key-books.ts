// What API keys have used of their own limits, in exact arithmetic, from the specification.
import type { KeyLimits } from '../../../src/tenancy/key-limits.ts'
import {
  corrected,
  costOf,
  fits,
  take,
  untilDayEnds,
  unused,
  usedAt,
  waitFor,
  type Used,
} from './arithmetic.ts'
import { currentMonth, latestMonth, monthOf, type Month } from './month.ts'

const DAY = 86_400_000n
const KEEP = 2n * DAY
const KEEP_MONEY = 62n * DAY
const AMPLE = Number.MAX_SAFE_INTEGER

/** The use of keys that count together. `used` is null if their requests were never limited. */
export type Book = {
  readonly used: Used | null
  readonly reserved: bigint
  readonly month: Month | null
}

const EMPTY: Book = { used: null, reserved: 0n, month: null }

/** A book during a call: its limits apply, and it is stored if something changed. */
export class OpenBook {
  readonly perMinute: number | null
  readonly limit: bigint | null
  readonly #now: bigint
  #book: Book
  #changed = false

  constructor(
    book: Book,
    { requestsPerMinute, spendingLimit }: KeyLimits,
    isPriced: boolean,
    now: bigint,
  ) {
    this.#book = book
    this.#now = now
    this.perMinute = requestsPerMinute
    this.limit = isPriced && spendingLimit !== null ? BigInt(spendingLimit) : null
  }

  /** What was posted by the time the identity was read, in the month by PostgreSQL's clock. */
  addPosted({ spent, month: name }: KeyLimits): void {
    if (this.limit === null) return
    const { month } = this.#book
    if (month === null) {
      const isOver = name < monthOf(this.#now)
      const first = { name: latestMonth(this.#now, name), spent: isOver ? 0n : BigInt(spent) }
      this.#book = { ...this.#book, month: first }
      this.#changed = true
    } else if (month.name === name && BigInt(spent) > month.spent)
      this.#book = { ...this.#book, month: { name, spent: BigInt(spent) } }
  }

  isUnknown(): boolean {
    return this.limit !== null && this.#book.month === null
  }

  left(): bigint | null {
    const { month, reserved } = this.#book
    return this.limit === null ? null : this.limit - (month?.spent ?? 0n) - reserved
  }

  /** How long the key's requests per minute refuse; undefined if they do not. */
  refusal(ofOrganization: Used): { readonly waitMs: number; readonly never: boolean } | undefined {
    if (this.perMinute === null) return undefined
    if (this.perMinute === 0)
      return { waitMs: untilDayEnds(ofOrganization, this.#now), never: true }
    const [used, limits, cost] = [this.#used(), this.#limits(), costOf(0)]
    if (fits('requestsPerMinute', used, limits, cost, this.#now)) return undefined
    return { waitMs: waitFor('requestsPerMinute', used, limits, cost, this.#now), never: false }
  }

  take(reserve: bigint): void {
    if (this.perMinute !== null) {
      const used = take(usedAt(this.#used(), this.#limits(), this.#now), costOf(0))
      this.#book = { ...this.#book, used }
    }
    if (this.limit !== null) this.#book = { ...this.#book, reserved: this.#book.reserved + reserve }
    this.#changed = true
  }

  /** The book to store and how long to keep it; undefined if there is nothing to store. */
  close(before: Book): { readonly book: Book; readonly keep: bigint } | undefined {
    if (!this.#changed || (this.perMinute === null && this.#book.month === null)) return undefined
    const { month } = this.#book
    const used = this.perMinute === null ? before.used : this.#usedNow()
    const reserved = month === null ? before.reserved : this.#book.reserved
    return { book: { used, reserved, month }, keep: month === null ? KEEP : KEEP_MONEY }
  }

  #usedNow(): Used {
    return usedAt(this.#used(), this.#limits(), this.#now)
  }

  #used(): Used {
    return this.#book.used ?? unused(this.#now)
  }

  #limits() {
    const others = { requestsPerDay: AMPLE, tokensPerMinute: AMPLE, tokensPerDay: AMPLE }
    return { requestsPerMinute: this.perMinute ?? 0, ...others }
  }
}

export class KeyBooks {
  readonly #books = new Map<string, { book: Book; keep: bigint }>()

  /** Opens the book of a key for a call; undefined if the key has no limits that are counted. */
  open(key: KeyLimits, isPriced: boolean, fresh: boolean, now: bigint): OpenBook | undefined {
    const counts = key.requestsPerMinute !== null || (isPriced && key.spendingLimit !== null)
    if (!counts) return undefined
    const stored = this.#books.get(key.id)
    const known = stored?.book ?? EMPTY
    const used = known.used && corrected(known.used, now)
    const { month, isCorrected } = currentMonth(now, known.month)
    if (stored !== undefined)
      stored.book = { ...known, used, month: isCorrected ? month : known.month }
    const open = new OpenBook({ ...known, used, month }, key, isPriced, now)
    if (fresh) open.addPosted(key)
    return open
  }

  close(id: string, open: OpenBook): void {
    const closed = open.close(this.#books.get(id)?.book ?? EMPTY)
    if (closed !== undefined) this.#books.set(id, closed)
  }

  forget(id: string): void {
    this.#books.delete(id)
  }

  /** What settlements would do. Returns whether the book has a month to count in. */
  spend(id: string, amount: number): boolean {
    const stored = this.#books.get(id)
    if (stored?.book.month == null) return false
    const { name, spent } = stored.book.month
    stored.book = { ...stored.book, month: { name, spent: spent + BigInt(amount) } }
    return true
  }

  left({ id, spendingLimit }: KeyLimits): number {
    const book = this.#books.get(id)?.book ?? EMPTY
    return Number(BigInt(spendingLimit ?? 0) - (book.month?.spent ?? 0n) - book.reserved)
  }

  state(id: string): { readonly fields: Record<string, string>; readonly keepMs: number } | null {
    const stored = this.#books.get(id)
    if (stored === undefined) return null
    const { used, reserved, month } = stored.book
    const fields = {
      ...(used && { at: `${used.latest}`, debt: `${used.missingRequests}` }),
      ...(month && { reserved: `${reserved}`, spent: `${month.spent}`, month: `${month.name}` }),
    }
    return { fields, keepMs: Number(stored.keep) }
  }
}
