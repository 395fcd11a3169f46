import { ApiError } from '../../contract/error.ts'
import type { NewSupportAccess } from '../../contract/management/retention.ts'
import { endSupportAccess, grantSupportAccess } from '../../store/people/support-access.ts'
import { defineChange } from '../use-case/use-case.ts'
import { viewSupportAccess } from './view-access.ts'

const HOURS_DEFAULT = 24

/** Lets support read the organization for some hours, instead of what was granted before. */
export const grantAccess = defineChange(
  { action: 'support_access.grant', permission: 'support-access:write' },
  async ({ transaction, access: { actor, organization } }, input: NewSupportAccess) => {
    if (actor.kind !== 'person')
      throw new ApiError('role_required', 'Only an owner can grant support access.')
    await endSupportAccess(transaction, organization.id)
    const granted = await grantSupportAccess(transaction, {
      organizationId: organization.id,
      accountId: actor.account.id,
      hours: input.hours ?? HOURS_DEFAULT,
      reason: input.reason ?? null,
    })
    const value = viewSupportAccess(granted)
    return {
      value,
      target: { kind: 'support_access', id: granted.id },
      changes: { ends_at: [null, value.ends_at], reason: [null, value.reason] },
    }
  },
)
