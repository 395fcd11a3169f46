import { createHash } from 'node:crypto'
import { ApiError } from '../../contract/error.ts'

/** The version of a thing, as a function of what is shown of it. */
export function etagOf(view: object): string {
  const digest = createHash('sha256').update(JSON.stringify(view)).digest('base64url')
  return `"${digest.slice(0, 22)}"`
}

/**
 * Refuses a change of a thing that somebody else has changed since the caller read it. The view
 * must be of a locked row. Without If-Match the last change wins.
 */
export function checkUnchanged(ifMatch: string | null | undefined, view: object): void {
  if (ifMatch === null || ifMatch === undefined || ifMatch.trim() === '*') return
  const etag = etagOf(view)
  if (ifMatch.split(',').some((each) => each.trim() === etag)) return
  throw new ApiError(
    'precondition_failed',
    'Somebody changed this in the meantime. Read it again, then repeat your change.',
  )
}
