import { useState } from 'react'
import { useChange } from '../../api/use-api.ts'
import type { Key } from '../../api/routes.ts'
import { formatAgo } from '../../format/time.ts'
import { ChangeDialog } from '../../parts/change-dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { keyDialogs as words } from '../../words/key-dialogs.ts'
import { wasUsedToday } from './key-state.ts'

const REASON_MAX = 200

/** Says what stops working; a key in use is revoked by typing its name. */
export function RevokeKey({
  stored,
  onClose,
}: {
  readonly stored: Key
  readonly onClose: () => void
}) {
  const { path } = useOrganization()
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const revocation = useChange('POST /organizations/{organization}/keys/{key}/revoke', [
    'GET /organizations/{organization}/keys',
    'GET /organizations/{organization}/keys/{key}',
    'GET /organizations/{organization}/audit-events',
  ])
  const [isLively] = useState(() => wasUsedToday(stored, Date.now()))
  const isConfirmed = !isLively || typed.trim() === stored.name
  const body = reason.trim() === '' ? {} : { reason: reason.trim() }
  return (
    <ChangeDialog
      alert
      title={words.revokeTitle(stored.name)}
      description={words.revokeText}
      submit={words.revoke}
      danger
      change={revocation}
      input={{ path: { ...path, key: stored.id }, body }}
      disabled={!isConfirmed}
      done={words.revoked(stored.name)}
      onClose={onClose}
    >
      <p>
        {lastUse(stored, isLively)} {words.revokeRunning}
      </p>
      {isLively && (
        <TextField
          label={words.typeName(stored.name)}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <TextField
        label={words.reason}
        optional
        hint={words.reasonHint}
        maxLength={REASON_MAX}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </ChangeDialog>
  )
}

function lastUse({ last_used_at: used }: Key, isLively: boolean): string {
  if (used === null) return words.revokeUnused
  return (isLively ? words.revokeUsed : words.revokeUsedLong)(formatAgo(used))
}
