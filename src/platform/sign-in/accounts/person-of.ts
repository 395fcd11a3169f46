import { ApiError } from '../../../contract/error.ts'
import type { Actor } from '../../../tenancy/actor.ts'
import type { Access } from '../../use-case/authorize.ts'

/** Whoever acts for their own account. A management key cannot. */
export function personOf({ actor }: Access): Actor & { readonly kind: 'person' } {
  if (actor.kind === 'person') return actor
  throw new ApiError('unauthenticated', 'You are not signed in.')
}
