// Funds and the four limits in exact arithmetic, written from the specification, not the script.
import type { LimitsAsk, LimitsDecision } from '../../../src/tenancy/rate-limits.ts'
import {
  corrected,
  costOf,
  refuse,
  report,
  take,
  untilFull,
  unused,
  usedAt,
  type Used,
} from './arithmetic.ts'
import { KeyBooks, type OpenBook } from './key-books.ts'
import { Running } from './running.ts'
import { currentMonth, monthOf, type Month } from './month.ts'

const DAY = 86_400_000n
/** A request that runs may end at any moment. */
const RUNNING_WAIT_MS = 1_000

type Ask = Pick<
  LimitsAsk,
  | 'version'
  | 'fresh'
  | 'limits'
  | 'concurrency'
  | 'funds'
  | 'projectId'
  | 'key'
  | 'tokens'
  | 'record'
>

/** A project's money: what it reserved, and once it had a limit, its month. */
type Project = { readonly reserved: bigint; readonly month: Month | null }

export type ModelState = {
  readonly version: number | null
  readonly used: Record<string, string> | null
  readonly open: Record<string, string>
  readonly running: Record<string, string>
  readonly funds: Record<string, string> | null
  readonly lease: string | null
  /** At least how long each key must be kept. */
  readonly keepUsedMs: number
}

export class LimitsModel {
  #version: bigint | null = null
  #used: Used | null = null
  #keepUsed = 0n
  #money: { readonly spent: bigint; readonly reserved: bigint } | null = null
  #projects = new Map<string, Project>()
  #lease: string | null = null
  readonly keys = new KeyBooks()
  readonly running = new Running()
  readonly #open = new Map<string, string>()

  /** Decides the requests of one call. */
  decide(nowMs: number, asks: readonly Ask[]): LimitsDecision[] {
    const now = BigInt(nowMs)
    const shared = asks[0]!
    const version = BigInt(shared.version)
    if (!shared.fresh && (this.#version === null || this.#version > version)) {
      return asks.map(() => ({ kind: 'stale', version: Number(this.#version ?? 0) }))
    }
    if (this.#version === null || version > this.#version) this.#version = version
    // Stored even if nothing is admitted, or an exhausted limit would not refill until then.
    if (this.#used !== null) this.#used = corrected(this.#used, now)
    this.#addPosted(asks)
    const books = new Map<string, OpenBook>()
    for (const { key, funds } of asks) {
      if (key === null || books.has(key.id)) continue
      const book = this.keys.open(key, funds.billing !== 'none', shared.fresh, now)
      if (book !== undefined) books.set(key.id, book)
    }
    const decisions = asks.map((ask) =>
      this.#decideOne(now, ask, ask.key === null ? undefined : books.get(ask.key.id)),
    )
    for (const [id, book] of books) this.keys.close(id, book)
    return decisions
  }

  /** Stored even if nothing is admitted, or each refusal would read the funds again. */
  #addPosted(asks: readonly Ask[]): void {
    const { fresh, funds } = asks[0]!
    if (!fresh || funds.billing === 'none' || asks.every(({ record }) => record === null)) return
    const { spent, reserved } = this.#money ?? { spent: 0n, reserved: 0n }
    const posted = BigInt(funds.spent)
    this.#money = { spent: posted > spent ? posted : spent, reserved }
  }

  state(): ModelState {
    const used = this.#used
    return {
      version: this.#version === null ? null : Number(this.#version),
      used: used && {
        at: `${used.latest}`,
        request_debt: `${used.missingRequests}`,
        token_debt: `${used.missingTokens}`,
        requests_today: `${used.requestsOfDay}`,
        tokens_today: `${used.tokensOfDay}`,
        ...this.running.storedClocks(),
      },
      running: this.running.stored(),
      open: Object.fromEntries(this.#open),
      funds: this.#fundsStored(),
      lease: this.#lease,
      keepUsedMs: Number(this.#keepUsed),
    }
  }

  /** What settlements would do: the record is gone, some money is spent and some is free again. */
  close(id: string, spent: number, reserved: number): void {
    this.#open.delete(id)
    this.running.close(id)
    if (this.#money === null) return
    this.#money = {
      spent: this.#money.spent + BigInt(spent),
      reserved: this.#money.reserved + BigInt(reserved),
    }
  }

  forgetFunds(): void {
    this.#money = null
    this.#projects = new Map()
  }

  isOpen(id: string): boolean {
    return this.#open.has(id)
  }

  isUsed(): boolean {
    return this.#used !== null
  }

  knowsFunds(): boolean {
    return this.#money !== null
  }

  /** What is left of the balance and of the limits of project and key, for aiming at it. */
  left({ funds, projectId, key }: Ask): readonly number[] {
    const { spent, reserved } = this.#money ?? { spent: 0n, reserved: 0n }
    const project = this.#projects.get(projectId)
    const projectLeft =
      BigInt(funds.spendingLimit ?? 0) - (project?.month?.spent ?? 0n) - (project?.reserved ?? 0n)
    const left = [Number(BigInt(funds.granted) - spent - reserved), Number(projectLeft)]
    return key === null ? left : [...left, this.keys.left(key)]
  }

  #fundsStored(): Record<string, string> | null {
    if (this.#money === null) return null
    const fields: Record<string, string> = {
      spent: `${this.#money.spent}`,
      reserved: `${this.#money.reserved}`,
    }
    for (const [id, { reserved, month }] of this.#projects) {
      fields[`reserved:${id}`] = `${reserved}`
      if (month !== null) {
        fields[`spent:${id}`] = `${month.spent}`
        fields[`month:${id}`] = `${month.name}`
      }
    }
    return fields
  }

  #decideOne(now: bigint, ask: Ask, book: OpenBook | undefined): LimitsDecision {
    const { limits, record } = ask
    const before = this.#used ?? unused(now)
    const booking = isExpired(ask, now) ? 'expired' : this.#book(now, ask, book)
    const decision =
      typeof booking === 'string' ? unfunded(booking) : this.#refuse(before, ask, book, now)
    const again = record !== null && this.#open.has(record.id)
    if (record !== null && decision === undefined) this.#lease = `${now}`
    const admitted = (used: Used): LimitsDecision => ({
      kind: 'admitted',
      capacities: report(used, limits, now),
      ...this.running.share(ask),
    })
    if (again) return admitted(before)
    if (decision !== undefined) return decision
    const after = take(usedAt(before, limits, now), costOf(ask.tokens))
    this.#used = after
    if (record !== null) {
      this.#open.set(record.id, JSON.stringify(record))
      this.running.open(record)
    }
    book?.take(BigInt(record?.reserved ?? 0))
    if (typeof booking === 'object') {
      this.#money = booking.money
      this.#projects.set(ask.projectId, booking.project)
    }
    this.#keepUsed = [
      2n * DAY,
      untilFull(after.missingRequests, BigInt(limits.requestsPerMinute)),
      untilFull(after.missingTokens, BigInt(limits.tokensPerMinute)),
    ].reduce((one, other) => (one > other ? one : other))
    return admitted(after)
  }

  #refuse(before: Used, ask: Ask, book: OpenBook | undefined, now: bigint) {
    const { limits, tokens } = ask
    const refused = refuse(before, limits, tokens, now)
    const ofKey = book?.refusal(before)
    const concurrent = this.running.exceeded(ask)
    if (ofKey === undefined && concurrent.length === 0) return refused
    const own = { kind: 'refused', violated: [], retryAfterMs: 0, never: false } as const
    const others = refused?.kind === 'refused' ? refused : own
    const runningMs = concurrent.length === 0 ? 0 : RUNNING_WAIT_MS
    return {
      ...others,
      capacities: report(before, limits, now),
      ofKey: ofKey !== undefined,
      concurrent,
      retryAfterMs: Math.max(others.retryAfterMs, ofKey?.waitMs ?? 0, runningMs),
      never: others.never || ofKey?.never === true,
    }
  }

  #monthNow(now: bigint, projectId: string, known: Month | null): Month | null {
    const { month, isCorrected } = currentMonth(now, known)
    const project = this.#projects.get(projectId)
    if (isCorrected && project !== undefined) this.#projects.set(projectId, { ...project, month })
    return month
  }

  /** The money as it is after the request, what is lacking, or nothing where none is needed. */
  #book(now: bigint, { funds, fresh, projectId, record }: Ask, book: OpenBook | undefined) {
    if (record === null || funds.billing === 'none') return undefined
    const money = this.#money
    if (money === null) return 'stale'
    const project = this.#projects.get(projectId) ?? { reserved: 0n, month: null }
    const isFirst = funds.spendingLimit !== null && project.month === null
    if (isFirst && !fresh) return 'stale'
    if (book?.isUnknown() === true) return 'stale'
    const first = { name: monthOf(now), spent: BigInt(funds.projectSpent) }
    if (isFirst) this.#projects.set(projectId, { ...project, month: first })
    const month = isFirst ? first : this.#monthNow(now, projectId, project.month)
    const reserve = BigInt(record.reserved)
    const isCovered = (left: bigint) => left > 0n && left >= reserve
    if (funds.billing === 'prepaid') {
      if (!isCovered(BigInt(funds.granted) - money.spent - money.reserved)) return 'organization'
    }
    if (funds.spendingLimit !== null && month !== null) {
      const left = BigInt(funds.spendingLimit) - month.spent - project.reserved
      if (!isCovered(left)) return 'project'
    }
    const keyLeft = book?.left() ?? null
    if (keyLeft !== null && !isCovered(keyLeft)) return 'key'
    return {
      money: { ...money, reserved: money.reserved + reserve },
      project: { reserved: project.reserved + reserve, month },
    }
  }
}

function unfunded(lack: 'expired' | 'stale' | 'organization' | 'project' | 'key'): LimitsDecision {
  if (lack === 'expired') return { kind: 'expired' }
  return lack === 'stale' ? { kind: 'stale', version: 0 } : { kind: 'unfunded', of: lack }
}

function isExpired({ key }: Ask, now: bigint): boolean {
  return key !== null && key.expiresAtMs !== null && BigInt(key.expiresAtMs) <= now
}
