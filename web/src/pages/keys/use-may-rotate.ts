import type { Key } from '../../api/routes.ts'
import { useMe } from '../../shell/session.ts'

/** A personal key is rotated by its owner only, because whoever rotates it gets the secret. */
export function useMayRotate(): (stored: Key) => boolean {
  const me = useMe().data
  return ({ created_by: owner, replaced_by: next }) =>
    next === null && (owner === null || owner === me?.id)
}
