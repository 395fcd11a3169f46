import type { Key } from '../../api/routes.ts'
import type { Shown } from './search.ts'

const DAY_MS = 86_400_000
const ENDING_MS = 14 * DAY_MS
const UNUSED_MS = 90 * DAY_MS
const LIVELY_MS = DAY_MS

export type KeyState = 'working' | 'ending' | 'ended' | 'revoked'

type Dated = Pick<Key, 'created_at' | 'expires_at' | 'revoked_at' | 'last_used_at'>

export function stateOf({ expires_at, revoked_at }: Dated, now: number): KeyState {
  if (revoked_at !== null) return 'revoked'
  if (expires_at === null) return 'working'
  const left = Date.parse(expires_at) - now
  if (left <= 0) return 'ended'
  return left <= ENDING_MS ? 'ending' : 'working'
}

/** Not used, or not even created, within 90 days. */
export function isUnused({ last_used_at, created_at }: Dated, now: number): boolean {
  return now - Date.parse(last_used_at ?? created_at) > UNUSED_MS
}

/** Programs probably depend on it: revoking it asks for its name. */
export function wasUsedToday({ last_used_at }: Dated, now: number): boolean {
  return last_used_at !== null && now - Date.parse(last_used_at) < LIVELY_MS
}

export function isShown(key: Dated, show: Shown, now: number): boolean {
  if (show === 'never-ends') return key.expires_at === null
  if (show === 'unused') return isUnused(key, now)
  return stateOf(key, now) === 'ending'
}
