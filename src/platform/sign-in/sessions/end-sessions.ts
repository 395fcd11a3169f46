import { endSession as deleteSession, endSessions } from '../../../store/sign-in/sessions.ts'
import { isUuid } from '../../../store/postgres/page.ts'
import { personOf } from '../accounts/person-of.ts'
import { notFound } from '../../use-case/authorize.ts'
import { defineChange } from '../../use-case/use-case.ts'

/** Signs out. A session that lacks its second factor can do it too. */
export const signOut = defineChange(
  { action: 'session.end', permission: 'second-factor' },
  async ({ transaction, access }) => {
    const { account, session } = personOf(access)
    await deleteSession(transaction, account.id, session.id)
    return { value: undefined, target: { kind: 'session', id: session.id } }
  },
)

/** Ends one session of one's own. */
export const endSession = defineChange(
  { action: 'session.end', permission: 'self', confirmed: true },
  async ({ transaction, access }, { id }: { readonly id: string }) => {
    const { account } = personOf(access)
    if (!isUuid(id) || !(await deleteSession(transaction, account.id, id))) throw notFound()
    return { value: undefined, target: { kind: 'session', id } }
  },
)

/** Ends all sessions of one's own but the current one. */
export const endOtherSessions = defineChange(
  { action: 'session.end_others', permission: 'self', confirmed: true },
  async ({ transaction, access }) => {
    const { account, session } = personOf(access)
    const ended = await endSessions(transaction, account.id, session.id)
    return {
      value: undefined,
      target: { kind: 'account', id: account.id, label: account.email },
      changes: { sessions: [ended + 1, 1] },
    }
  },
)
