import { ApiError } from '../../contract/error.ts'
import { findScimTokenByHash, noteScimTokenUsed } from '../../store/people/scim-tokens.ts'
import type { Actor, ActorRequest } from '../../tenancy/actor.ts'
import { hashApiKey, parseApiKey } from '../../tenancy/api-key.ts'
import type { Environment } from './environment.ts'

const BEARER = /^bearer +(\S.*)$/i

/** Who calls SCIM: a token of an organization. Sessions and other keys are nobody here. */
export async function identifyScimToken(
  { database, later }: Pick<Environment, 'database' | 'later'>,
  {
    authorization = '',
    keyPrefix,
  }: { readonly authorization: string | undefined; readonly keyPrefix: string },
  request: ActorRequest,
): Promise<Actor> {
  const token = parseApiKey(BEARER.exec(authorization)?.[1] ?? '', keyPrefix, 'scim')
  const found =
    token === undefined ? undefined : await findScimTokenByHash(database, hashApiKey(token))
  if (found === undefined || found.revoked_at !== null)
    throw new ApiError('invalid_scim_token', 'The SCIM token is not valid. It may be revoked.')
  const { id, name, organization_id: organizationId, stale } = found
  // After the answer, at most once a minute for each token.
  if (stale) later(id, () => noteScimTokenUsed(database, id))
  return { kind: 'scim_token', id, name, organizationId, request }
}
