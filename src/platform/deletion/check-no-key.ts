import { ApiError } from '../../contract/error.ts'
import type { Actor } from '../../tenancy/actor.ts'

/** What cannot be undone is not for scripts: a leaked key must not be able to do it. */
export function checkNoKey(actor: Actor): void {
  if (actor.kind !== 'management_key') return
  throw new ApiError(
    'scope_required',
    'A management key cannot delete anything permanently: sign in instead.',
  )
}
