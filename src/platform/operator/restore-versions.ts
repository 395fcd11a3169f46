import { raiseVersionsAbove, type RaisedVersion } from '../../store/tenants/versions.ts'
import { defineChange } from '../use-case/use-case.ts'

/**
 * Raises the versions of organizations above those that Valkey knows, where PostgreSQL is behind
 * because it was restored from a backup. One event of the platform for each call. Returns how many
 * were raised.
 */
export const restoreVersions = defineChange(
  { action: 'organizations.restore_versions', permission: 'platform:write' },
  async ({ transaction }, { known }: { readonly known: readonly RaisedVersion[] }) => {
    const raised = await raiseVersionsAbove(transaction, known)
    return {
      value: raised.length,
      target: { kind: 'organizations', id: raised[0]?.organizationId ?? 'none' },
      changes: { restored: [0, raised.length] },
      raised,
      unchanged: raised.length === 0,
    }
  },
)
