import { useState } from 'react'
import type { Key } from '../../api/routes.ts'
import { useSecretChange } from '../../api/use-secret-change.ts'
import { formatInstant } from '../../format/time.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Select } from '../../parts/field.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { keyDialogs as words } from '../../words/key-dialogs.ts'
import { KeySecret } from './key-secret.tsx'

const OVERLAPS = ['0', '3600', '86400', '604800'] as const
const DEFAULT_OVERLAP = '86400'

/** A new key with the same settings; the old one ends after the overlap. */
export function RotateKey({
  stored,
  onClose,
}: {
  readonly stored: Key
  readonly onClose: () => void
}) {
  const { path } = useOrganization()
  const [overlap, setOverlap] = useState<string>(DEFAULT_OVERLAP)
  const rotation = useSecretChange('POST /organizations/{organization}/keys/{key}/rotate', [
    'GET /organizations/{organization}/keys',
    'GET /organizations/{organization}/keys/{key}',
    'GET /organizations/{organization}/audit-events',
  ])
  if (rotation.answer !== null) return <KeySecret created={rotation.answer} onClose={onClose} />
  const until = formatInstant(Date.now() + Number(overlap) * 1000)
  const at = { ...path, key: stored.id }
  return (
    <FormDialog
      onClose={onClose}
      title={words.rotate}
      description={words.rotateText(stored.name)}
      onSubmit={() => rotation.make({ path: at, body: { overlap_seconds: Number(overlap) } })}
      submit={words.rotate}
      busy={rotation.busy}
      fault={rotation.fault}
    >
      <Select
        label={words.overlap}
        options={OVERLAPS.map((value) => ({ value, label: words.overlaps[value] }))}
        value={overlap}
        onChange={setOverlap}
        hint={overlap === '0' ? words.rotateNow : words.rotateNote(until)}
      />
    </FormDialog>
  )
}
