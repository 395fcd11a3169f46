import { ApiError } from '../../contract/error.ts'
import { findAccount, lockAccount } from '../../store/tenants/accounts.ts'
import { openSession, type SessionClient } from '../sessions/open-session.ts'
import { defineChange, defineFlow } from '../use-case.ts'
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
    { accountId, client }: { readonly accountId: string; readonly client: SessionClient },
  ) => {
    await lockAccount(transaction, accountId, 'share')
    const account = await findAccount(transaction, accountId)
    if (account.state === 'restricted')
      throw new ApiError('account_restricted', 'This account is restricted.')
    const { userAgent, addressPrefix } = client
    const opened = await openSession(
      { environment, transaction },
      access.actor,
      accountId,
      'passkey',
      { userAgent, addressPrefix },
    )
    return {
      value: opened,
      target: { kind: 'account', id: accountId, label: account.email },
      changes: { session: [null, opened.session.id], methods: [null, opened.session.methods] },
    }
  },
)
