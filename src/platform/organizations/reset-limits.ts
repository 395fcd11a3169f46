import { ApiError } from '../../contract/error.ts'
import { resetLimits as forgetUse } from '../../store/limits/reset-limits.ts'
import { findOrganization } from '../../store/tenants/organizations.ts'
import { ValkeyUnavailable } from '../../store/valkey/valkey.ts'
import { defineChange } from '../use-case/use-case.ts'

const CONNECT_MS = 2_500

/** Gives an organization its full rate limits of this minute and day again. */
export const resetLimits = defineChange(
  { action: 'organization.reset_limits', permission: 'platform:write' },
  async ({ environment, transaction }, { reference }: { readonly reference: string }) => {
    const { id, slug } = await findOrganization(transaction, reference)
    try {
      await environment.valkey.connected(CONNECT_MS)
      const reset = await forgetUse(environment.valkey, id)
      return {
        value: { organization_id: id, reset },
        target: { kind: 'organization', id, label: slug },
        organizationId: id,
      }
    } catch (cause) {
      if (!(cause instanceof ValkeyUnavailable)) throw cause
      const message = 'Nothing was reset, because Valkey is unavailable.'
      throw new ApiError('service_unavailable', message, { cause })
    }
  },
)
