import { endSupportAccess } from '../../store/people/support-access.ts'
import { notFound } from '../use-case/authorize.ts'
import { defineChange } from '../use-case/use-case.ts'

/** Ends support access from the next call on. */
export const endAccess = defineChange(
  { action: 'support_access.end', permission: 'support-access:write' },
  async ({ transaction, access: { organization } }) => {
    const [ended] = await endSupportAccess(transaction, organization.id)
    if (ended === undefined) throw notFound()
    return {
      value: undefined,
      target: { kind: 'support_access', id: ended.id },
      changes: { ended_at: [null, ended.ended_at?.toISOString() ?? null] },
    }
  },
)
