// Funds and the four limits in exact arithmetic, written from the specification, not the script.
import type { LimitsAsk, LimitsDecision } from '../../../src/tenancy/rate-limits.ts'
import { costOf, refuse, report, take, untilFull, unused, usedAt } from './arithmetic.ts'
import type { Used } from './arithmetic.ts'

const DAY = 86_400_000n

type Ask = Pick<
  LimitsAsk,
  'version' | 'fresh' | 'limits' | 'funds' | 'projectId' | 'tokens' | 'record'
>

/** A project's money: what it reserved, and once it had a limit, its month. */
type Project = {
  readonly reserved: bigint
  readonly month: { readonly name: number; readonly spent: bigint } | null
}

export type ModelState = {
  readonly version: number | null
  readonly used: Record<string, string> | null
  readonly open: Record<string, string>
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
  readonly #open = new Map<string, string>()

  /** Decides requests of one call; without any, the call only raises the version. */
  decide(nowMs: number, shared: Ask, asks: readonly Ask[]): LimitsDecision[] {
    const now = BigInt(nowMs)
    const version = BigInt(shared.version)
    if (!shared.fresh && (this.#version === null || this.#version > version)) {
      return asks.map(() => ({ kind: 'stale' }))
    }
    if (this.#version === null || version > this.#version) this.#version = version
    return asks.map((ask) => this.#decideOne(now, ask))
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
      },
      open: Object.fromEntries(this.#open),
      funds: this.#fundsStored(),
      lease: this.#lease,
      keepUsedMs: Number(this.#keepUsed),
    }
  }

  /** What settlements would do: the record is gone, some money is spent and some is free again. */
  close(id: string, spent: number, reserved: number): void {
    this.#open.delete(id)
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

  knowsFunds(): boolean {
    return this.#money !== null
  }

  /** What is left of the balance and of a project's limit, for aiming at it. */
  left({ funds, projectId }: Ask): readonly number[] {
    const { spent, reserved } = this.#money ?? { spent: 0n, reserved: 0n }
    const project = this.#projects.get(projectId)
    const projectLeft =
      BigInt(funds.spendingLimit ?? 0) - (project?.month?.spent ?? 0n) - (project?.reserved ?? 0n)
    return [Number(BigInt(funds.granted) - spent - reserved), Number(projectLeft)]
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

  #decideOne(now: bigint, ask: Ask): LimitsDecision {
    const { limits, record } = ask
    const before = this.#used ?? unused(now)
    const booking = this.#book(now, ask)
    const decision =
      typeof booking === 'string' ? unfunded(booking) : refuse(before, limits, ask.tokens, now)
    const again = record !== null && this.#open.has(record.id)
    if (record !== null && decision === undefined) this.#lease = `${now}`
    if (again) return { kind: 'admitted', capacities: report(before, limits, now) }
    if (decision !== undefined) return decision
    const after = take(usedAt(before, limits, now), costOf(ask.tokens))
    this.#used = after
    if (record !== null) this.#open.set(record.id, JSON.stringify(record))
    if (typeof booking === 'object') {
      this.#money = booking.money
      this.#projects.set(ask.projectId, booking.project)
    }
    this.#keepUsed = [
      2n * DAY,
      untilFull(after.missingRequests, BigInt(limits.requestsPerMinute)),
      untilFull(after.missingTokens, BigInt(limits.tokensPerMinute)),
    ].reduce((one, other) => (one > other ? one : other))
    return { kind: 'admitted', capacities: report(after, limits, now) }
  }

  /** The money as it is after the request, what is lacking, or nothing where none is needed. */
  #book(now: bigint, { funds, fresh, projectId, record }: Ask) {
    if (record === null || funds.billing === 'none') return undefined
    if (this.#money === null && !fresh) return 'stale'
    const stored = this.#money ?? { spent: 0n, reserved: 0n }
    const posted = fresh ? BigInt(funds.spent) : 0n
    const money = { ...stored, spent: stored.spent > posted ? stored.spent : posted }
    const project = this.#projects.get(projectId) ?? { reserved: 0n, month: null }
    const limited = funds.spendingLimit !== null
    if (limited && project.month === null && !fresh) return 'stale'
    const first = limited ? { name: monthOf(now), spent: BigInt(funds.projectSpent) } : null
    const known = project.month ?? first
    const month = known && (monthOf(now) > known.name ? { name: monthOf(now), spent: 0n } : known)
    const reserve = BigInt(record.reserved)
    const isCovered = (left: bigint) => left > 0n && left >= reserve
    if (funds.billing === 'prepaid') {
      if (!isCovered(BigInt(funds.granted) - money.spent - money.reserved)) return 'organization'
    }
    if (funds.spendingLimit !== null && month !== null) {
      const left = BigInt(funds.spendingLimit) - month.spent - project.reserved
      if (!isCovered(left)) return 'project'
    }
    return {
      money: { ...money, reserved: money.reserved + reserve },
      project: { reserved: project.reserved + reserve, month },
    }
  }
}

function unfunded(lack: 'stale' | 'organization' | 'project'): LimitsDecision {
  return lack === 'stale' ? { kind: 'stale' } : { kind: 'unfunded', of: lack }
}

function monthOf(now: bigint): number {
  return Number(new Date(Number(now)).toISOString().slice(0, 7).replace('-', ''))
}
