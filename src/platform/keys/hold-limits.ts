import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../../contract/error.ts'
import type { KeyChanges, StoredKey } from '../../store/tenants/api-keys.ts'
import type { Access } from '../use-case/authorize.ts'

type Limits = Pick<StoredKey, Limit>
type Limit = 'models' | 'requests_per_minute' | 'spending_limit' | 'expires_at'

const LIMITS: readonly Limit[] = ['models', 'requests_per_minute', 'spending_limit', 'expires_at']

/**
 * Which limits of a key are held after a change. A limit is held if somebody else than the owner of
 * the key set it. Members may tighten a held limit of their key; to loosen it needs the right to
 * change all keys.
 */
export function holdLimits(access: Access, before: StoredKey, asked: KeyChanges): string[] {
  const after = limitsAfter(before, asked)
  const changed = LIMITS.filter((limit) => !isDeepStrictEqual(before[limit], after[limit]))
  if (access.grant === 'own') {
    for (const limit of changed)
      if (before.held_limits.includes(limit)) checkTighter(limit, before, after)
    return before.held_limits
  }
  const unchanged = before.held_limits.filter((limit) => !changed.includes(limit as Limit))
  return isOwnedByOther(access, before.created_by)
    ? [...unchanged, ...changed.filter((limit) => after[limit] !== null)]
    : unchanged
}

/** Which limits of a new key are held: those that somebody gives a member with the key. */
export function holdGivenLimits(
  access: Access,
  ownerId: string | null,
  given: KeyChanges,
): string[] {
  if (!isOwnedByOther(access, ownerId)) return []
  const limits = limitsAfter(UNLIMITED, given)
  return LIMITS.filter((limit) => limits[limit] !== null)
}

const UNLIMITED = {
  models: null,
  requests_per_minute: null,
  spending_limit: null,
  expires_at: null,
}

function isOwnedByOther({ actor }: Access, ownerId: string | null): boolean {
  return ownerId !== null && !(actor.kind === 'person' && actor.account.id === ownerId)
}

function limitsAfter(before: Limits, asked: KeyChanges): Limits {
  const { models, requestsPerMinute, spendingLimit, expiresAt } = asked
  return {
    models: models === undefined ? before.models : models && [...models],
    requests_per_minute:
      requestsPerMinute === undefined ? before.requests_per_minute : requestsPerMinute,
    spending_limit: spendingLimit === undefined ? before.spending_limit : spendingLimit,
    expires_at: expiresAt === undefined ? before.expires_at : expiresAt,
  }
}

function checkTighter(limit: Limit, before: Limits, after: Limits): void {
  if (isTighter(before[limit], after[limit])) return
  throw new ApiError(
    'role_required',
    `An admin set '${limit}' of this key: you may tighten it, but not loosen it.`,
    { param: limit },
  )
}

function isTighter(before: Limits[Limit], after: Limits[Limit]): boolean {
  if (before === null) return true
  if (after === null) return false
  if (Array.isArray(before)) return (after as string[]).every((model) => before.includes(model))
  return after <= before
}
