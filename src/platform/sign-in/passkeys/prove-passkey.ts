import { ApiError } from '../../../contract/error.ts'
import { isObject } from '../../../lib/is-object.ts'
import { findPasskey, notePasskeyUse } from '../../../store/sign-in/passkeys.ts'
import type { Environment } from '../../use-case/environment.ts'
import { verifyAuthentication } from '../identity/passkeys.ts'
import { partyOf, useChallenge } from './challenge.ts'

const CEREMONY = { kind: 'passkey sign-in', accountId: null } as const

/**
 * Verifies the answer of a passkey and returns whose it is. Both the challenge and the counter are
 * used up at once, so the same answer never works again.
 */
export async function provePasskey(
  { database, settings }: Environment,
  credential: unknown,
): Promise<string> {
  const challenge = await useChallenge(database, CEREMONY, credential)
  const id = isObject(credential) && typeof credential.id === 'string' ? credential.id : ''
  const row = challenge === undefined ? undefined : await findPasskey(database, id)
  if (challenge === undefined || row === undefined) throw refused()
  const use = await verifyAuthentication(partyOf(settings), credential, challenge, {
    credentialId: row.credential_id,
    accountId: row.account_id,
    publicKey: row.public_key,
    counter: row.counter,
    backedUp: row.backed_up,
    transports: row.transports,
  })
  if (use === undefined || !(await notePasskeyUse(database, id, use))) throw refused()
  return row.account_id
}

function refused(): ApiError {
  return new ApiError('invalid_login', 'The passkey is unknown, or its answer cannot be verified.')
}
