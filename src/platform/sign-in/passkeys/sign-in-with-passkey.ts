import { openUnlessRestricted, type SessionClient } from '../sessions/open-session.ts'
import { defineChange, defineFlow } from '../../use-case/use-case.ts'
import { provePasskey } from './prove-passkey.ts'

/** Signs in with a passkey alone: it is possession and a check of the person in one. */
export const signInWithPasskey = defineFlow(
  { action: 'session.create_with_passkey', permission: 'anyone' },
  async (
    { environment, access },
    { credential, client }: { readonly credential: unknown; readonly client: SessionClient },
  ) => {
    const accountId = await provePasskey(environment, credential)
    return openWithPasskey(environment, access.actor, { accountId, client })
  },
)

const openWithPasskey = defineChange(
  { action: 'session.create', permission: 'anyone' },
  async (
    { environment, transaction, access },
    input: { readonly accountId: string; readonly client: SessionClient },
  ) => openUnlessRestricted({ environment, transaction }, access.actor, 'passkey', input),
)
