import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import {
  storeChallenge,
  takeChallenge,
  type ChallengeKind,
} from '../../../store/sign-in/challenges.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import type { Settings } from '../../use-case/environment.ts'
import {
  PASSKEY_CEREMONY_MS,
  readClaimedChallenge,
  relyingParty,
  type RelyingParty,
} from '../identity/passkeys.ts'

const NAME = 'Headrace'
/** The challenge itself says everything. */
const NO_DATA = Buffer.alloc(0)

type Ceremony = { readonly kind: ChallengeKind; readonly accountId: string | null }

export function partyOf({ console: { public_url: publicUrl } }: Settings): RelyingParty {
  return relyingParty(publicUrl, NAME)
}

export async function rememberChallenge(
  database: Kysely<Tables>,
  ceremony: Ceremony,
  challenge: string,
): Promise<void> {
  const hash = hashOf(challenge)
  await storeChallenge(database, { ...ceremony, hash, data: NO_DATA, lifeMs: PASSKEY_CEREMONY_MS })
}

/** The challenge that an answer is for, once: it is void even if the answer turns out wrong. */
export async function useChallenge(
  database: Kysely<Tables>,
  ceremony: Ceremony,
  response: unknown,
): Promise<string | undefined> {
  const challenge = readClaimedChallenge(response)
  if (challenge === undefined) return undefined
  const taken = await takeChallenge(database, { ...ceremony, hash: hashOf(challenge) })
  return taken === undefined ? undefined : challenge
}

function hashOf(challenge: string): Buffer {
  return createHash('sha256').update(challenge).digest()
}
