import type { OperatorAccountDetail } from '../../../contract/management/operator-account.ts'
import { readSignInState } from '../../../store/sign-in/sign-in-state.ts'
import { findAccount } from '../../../store/tenants/accounts.ts'
import { listMembershipsOf } from '../../../store/tenants/search-accounts.ts'
import { defineRead } from '../../use-case/use-case.ts'
import { viewAccount } from './view-account.ts'

const ORGANIZATIONS_MAX = 100

/** An account by id or email address. */
export const showAccount = defineRead(
  { action: 'account.show', permission: 'platform:read' },
  async ({ database }, { account }: { account: string }): Promise<OperatorAccountDetail> => {
    const row = await findAccount(database, account)
    const signIn = await readSignInState(database, row.id)
    return {
      ...viewAccount(row),
      terms_version: row.terms_version,
      second_factor: signIn.secondFactor,
      sessions: signIn.sessions,
      last_seen_at: signIn.lastSeenAt?.toISOString() ?? null,
      organizations: await listMembershipsOf(database, row.id, ORGANIZATIONS_MAX),
    }
  },
)
