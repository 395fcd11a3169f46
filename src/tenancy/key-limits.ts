/** What limits an API key besides its organization and its project. */
export type KeyLimits = {
  /** Keys that replace each other share it, and with it what they have used. */
  readonly id: string
  /** Null means never. */
  readonly expiresAtMs: number | null
  /** Null means no limit. */
  readonly requestsPerMinute: number | null
  /** Per calendar month (UTC), in micro-units; null means no limit. */
  readonly spendingLimit: number | null
  /** Posted in that month; 0 if there is no spending limit. */
  readonly spent: number
  /** The current month by the clock of PostgreSQL, as YYYYMM. */
  readonly month: number
}
