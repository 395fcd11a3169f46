import { ApiError } from '../../contract/error.ts'
import {
  findManagementKey,
  findSession,
  noteManagementKeyUsed,
} from '../../store/people/find-actors.ts'
import type { Actor, ActorRequest } from '../../tenancy/actor.ts'
import { hashApiKey, parseApiKey } from '../../tenancy/api-key.ts'
import type { Environment } from './environment.ts'

const BEARER = /^bearer +(\S.*)$/i

/** The one place that decides who calls: by a session cookie or by a management key, never both. */
export async function identifyActor(
  { database, later }: Pick<Environment, 'database' | 'later'>,
  credentials: {
    readonly authorization: string | undefined
    readonly sessionHash: Buffer | null
    readonly keyPrefix: string
  },
  request: ActorRequest,
): Promise<Actor> {
  const { authorization, sessionHash, keyPrefix } = credentials
  if (authorization === undefined) {
    const found = sessionHash === null ? undefined : await findSession(database, sessionHash)
    return found === undefined ? { kind: 'nobody', request } : { kind: 'person', ...found, request }
  }
  if (sessionHash !== null)
    throw new ApiError('invalid_value', 'Send a session cookie or a management key, not both.')
  const key = parseApiKey(BEARER.exec(authorization)?.[1] ?? '', keyPrefix, 'mk')
  const found = key === undefined ? undefined : await findManagementKey(database, hashApiKey(key))
  if (found === undefined)
    throw new ApiError(
      'invalid_management_key',
      'The management key is not valid. It may be incorrect, revoked or expired.',
    )
  const { stale, ...known } = found
  // After the answer, at most once a minute for each key.
  if (stale) later(known.id, () => noteManagementKeyUsed(database, known.id))
  return { kind: 'management_key', ...known, request }
}
