import { ApiError } from '../../../contract/error.ts'
import { cancelUnpaid, findTopUp, resume } from '../../../store/payments/top-ups.ts'
import { lockOrganization } from '../../../store/tenants/organizations.ts'
import { defineChange } from '../../use-case/use-case.ts'
import { settingsOf } from '../settings-of.ts'
import { readTopUp } from './read-top-up.ts'

/** Goes on after a pause. A charge that waits to be confirmed is cancelled: another may follow. */
export const resumeTopUp = defineChange(
  { action: 'top_up.resume', permission: 'automatic-top-up:write', confirmed: true },
  async ({ environment: { settings }, transaction, access }) => {
    settingsOf(settings)
    const { id } = await lockOrganization(transaction, access.organization.id)
    const before = await findTopUp(transaction, id)
    if (before === undefined || !before.enabled)
      throw new ApiError('conflict', 'Automatic top-up is off.')
    const target = { kind: 'organization', id, label: access.organization.slug }
    const isPaused = before.paused !== null
    if (isPaused) {
      await resume(transaction, id)
      await cancelUnpaid(transaction, id)
    }
    const value = await readTopUp(settings, transaction, id)
    return { value, target, changes: { paused: [before.paused, null] }, unchanged: !isPaused }
  },
)
