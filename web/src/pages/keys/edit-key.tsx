import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { grantOf } from '../../../../src/tenancy/permissions.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { say } from '../../parts/toast.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { keyDialogs as words } from '../../words/key-dialogs.ts'
import { KEY_FIELDS } from './create-key.tsx'
import { bodyOf, draftOf, mistakesIn, type Draft } from './key-draft.ts'
import { EndField, IgnoredFields, LimitFields, ModelFields, NameField } from './key-fields.tsx'
import type { VersionedKey } from './use-key.ts'

/** Changes the version of the key that was on the screen when the dialog opened. */
export function EditKey({
  versioned,
  onClose,
}: {
  readonly versioned: VersionedKey
  readonly onClose: () => void
}) {
  const { path, role } = useOrganization()
  const isOwnOnly = grantOf('keys:write', role) === 'own'
  const [{ value: stored, etag }] = useState(versioned)
  const [draft, setDraft] = useState<Draft>(() => draftOf(stored))
  const models = useApi('GET /organizations/{organization}/models', { path }).data?.data ?? []
  const saving = useChange('PATCH /organizations/{organization}/keys/{key}', [
    'GET /organizations/{organization}/keys',
    'GET /organizations/{organization}/keys/{key}',
    'GET /organizations/{organization}/audit-events',
  ])
  const fault = saving.error
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const fields = { draft, change, fault }
  const submit = () => {
    const mistakes = mistakesIn(draft)
    if (mistakes.models || mistakes.perMinute) return
    const body = bodyOf(draft, Date.now())
    const input = {
      path: { ...path, key: stored.id },
      body,
      ...(etag !== null && { ifMatch: etag }),
    }
    const onSuccess = () => {
      say(words.saved(body.name))
      onClose()
    }
    saving.mutate(input, { onSuccess })
  }
  return (
    <FormDialog
      onClose={onClose}
      title={words.editTitle}
      onSubmit={submit}
      submit={everywhere.save}
      busy={saving.isPending}
      fault={fault}
      fields={[...KEY_FIELDS, 'precondition_failed']}
    >
      {fault?.code === 'precondition_failed' && <ChangedMeanwhile onRead={onClose} />}
      {isOwnOnly && stored.held_limits.length > 0 && (
        <p className="strip">{words.held(stored.held_limits)}</p>
      )}
      <NameField {...fields} />
      <EndField {...fields} stored={stored.expires_at} />
      <ModelFields {...fields} models={models} />
      <LimitFields {...fields} currency={models[0]?.prices?.input.currency} />
      <IgnoredFields {...fields} />
    </FormDialog>
  )
}

/** 412: saving would undo what somebody else did. */
function ChangedMeanwhile({ onRead }: { readonly onRead: () => void }) {
  const queries = useQueryClient()
  return (
    <div className="strip warn" role="alert">
      <span className="grow">{words.changedMeanwhile}</span>
      <Button
        size="sm"
        onClick={() => {
          const queryKey = ['GET /organizations/{organization}/keys/{key}']
          void queries.invalidateQueries({ queryKey }).then(onRead)
        }}
      >
        {words.readAgain}
      </Button>
    </div>
  )
}
