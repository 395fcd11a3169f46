import { useState } from 'react'
import { useSecretChange } from '../../api/use-secret-change.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { errorAt, TextField } from '../../parts/field.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { provisioning as words } from '../../words/sign-in-rules.ts'

/** Asks for a name; then the same dialog shows the token, once. */
export function CreateScimToken({ onClose }: { readonly onClose: () => void }) {
  const { path } = useOrganization()
  const [name, setName] = useState('')
  const making = useSecretChange('POST /organizations/{organization}/scim-tokens', [
    'GET /organizations/{organization}/scim-tokens',
  ])
  const { answer, fault } = making
  if (answer !== null)
    return (
      <SecretDialog
        title={words.createdTitle}
        text={words.createdText}
        secret={answer.token}
        what={words.token}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      onClose={onClose}
      title={words.createTitle}
      description={words.createText}
      onSubmit={() => making.make({ path, body: { name: name.trim() } })}
      submit={words.createButton}
      busy={making.busy}
      fault={fault}
      fields={['name']}
    >
      <TextField
        label={words.name}
        hint={words.nameHint}
        required
        maxLength={100}
        value={name}
        error={errorAt(fault, 'name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
