import type { Passkey } from '../../../contract/management/factor.ts'
import type { PasskeyRow } from '../../../store/sign-in/passkeys.ts'

export function viewPasskey(row: PasskeyRow): Passkey {
  return {
    id: row.credential_id,
    name: row.name,
    backed_up: row.backed_up,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }
}
