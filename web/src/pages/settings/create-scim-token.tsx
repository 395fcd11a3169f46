import { useState } from 'react'
import { useSecretChange } from '../../api/use-secret-change.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Dialog, DialogBody, DialogFoot, FormDialog } from '../../parts/dialog.tsx'
import { errorAt, TextField } from '../../parts/field.tsx'
import { FaultNote } from '../../parts/states.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { provisioning as words } from '../../words/sign-in-rules.ts'

/** Asks for a name; then the same dialog shows the token, once. */
export function CreateScimToken({ onClose }: { readonly onClose: () => void }) {
  const { path } = useOrganization()
  const [name, setName] = useState('')
  const making = useSecretChange('POST /organizations/{organization}/scim-tokens', [
    'GET /organizations/{organization}/scim-tokens',
  ])
  const { answer, fault } = making
  const atName = errorAt(fault, 'name')
  const close = () => {
    making.forget()
    onClose()
  }
  if (answer !== null) return <CreatedToken token={answer.token} onClose={close} />
  return (
    <FormDialog
      onClose={onClose}
      title={words.createTitle}
      description={words.createText}
      onSubmit={() => {
        making.make({ path, body: { name: name.trim() } })
      }}
      submit={words.createButton}
      busy={making.busy}
    >
      {fault !== null && atName === undefined && <FaultNote fault={fault} />}
      <TextField
        label={words.name}
        hint={words.nameHint}
        required
        maxLength={100}
        value={name}
        error={atName}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  )
}

function CreatedToken({
  token,
  onClose,
}: {
  readonly token: string
  readonly onClose: () => void
}) {
  return (
    <Dialog
      open
      wide
      keepOpen
      onClose={onClose}
      title={words.createdTitle}
      description={words.createdText}
    >
      <DialogBody>
        <div className="secret" data-shows="secret">
          <code>{token}</code>
          <CopyButton value={token} what={words.token} label={everywhere.copy} />
        </div>
      </DialogBody>
      <DialogFoot>
        <Button look="primary" onClick={onClose}>
          {words.done}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
