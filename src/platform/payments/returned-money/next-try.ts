import type { Progress } from './apply-to-payment.ts'

const FIRST_SECONDS = 5
const LATER_SECONDS = 3_600
/** Nobody can pay for longer than a day, so after two days its payment has been read. */
const UNKNOWN_SECONDS_MAX = 2 * 86_400

/** When a refund or dispute is read again without a hint; null for not any more. */
export function nextTrySeconds(progress: Progress | 'failed', ageSeconds: number): number | null {
  if (progress === 'over') return null
  if (progress === 'unknown' && ageSeconds > UNKNOWN_SECONDS_MAX) return null
  return Math.min(Math.max(ageSeconds / 2, FIRST_SECONDS), LATER_SECONDS)
}
