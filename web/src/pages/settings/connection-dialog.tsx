import { useState } from 'react'
import type { NewSsoConnection, SsoConnection } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Dialog, DialogBody, DialogFoot, FormDialog } from '../../parts/dialog.tsx'
import { errorAt, Select, TextField } from '../../parts/field.tsx'
import { FaultNote } from '../../parts/states.tsx'
import { say } from '../../parts/toast.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { roles } from '../../words/roles.ts'
import { connections as words } from '../../words/sign-in-rules.ts'

const LISTS = ['GET /organizations/{organization}/sso-connections'] as const
const DEFAULT_ROLES = ['member', 'viewer', 'admin'] as const
type DefaultRole = (typeof DEFAULT_ROLES)[number]
const FIELDS = ['name', 'issuer', 'client_id', 'client_secret'] as const

function fieldsOf(connection: SsoConnection | null): NewSsoConnection {
  return {
    name: connection?.name ?? '',
    issuer: connection?.issuer ?? '',
    client_id: connection?.client_id ?? '',
    client_secret: '',
    default_role: connection?.default_role ?? 'member',
  }
}

/**
 * A new identity provider, or the settings of one. The secret is never shown again. The redirect
 * URI of a new one is known when it is saved, and is shown then.
 */
export function ConnectionDialog({
  connection,
  onClose,
}: {
  readonly connection: SsoConnection | null
  readonly onClose: () => void
}) {
  const [added, setAdded] = useState<SsoConnection | null>(null)
  return added === null ? (
    <SettingsDialog connection={connection} onAdded={setAdded} onClose={onClose} />
  ) : (
    <Dialog open onClose={onClose} title={words.addedTitle(added.name)}>
      <DialogBody>
        <RedirectUri connection={added} />
      </DialogBody>
      <DialogFoot>
        <Button look="primary" onClick={onClose}>
          {words.done}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

function RedirectUri({ connection }: { readonly connection: SsoConnection }) {
  return (
    <div className="field">
      <strong>{words.redirect}</strong>
      <Copy value={connection.redirect_uri} what={words.redirect} />
      <p className="hint">{words.redirectHint}</p>
    </div>
  )
}

function SettingsDialog({
  connection,
  onAdded,
  onClose,
}: {
  readonly connection: SsoConnection | null
  readonly onAdded: (connection: SsoConnection) => void
  readonly onClose: () => void
}) {
  const { path } = useOrganization()
  const [fields, setFields] = useState(() => fieldsOf(connection))
  const create = useChange('POST /organizations/{organization}/sso-connections', LISTS)
  const change = useChange(
    'PATCH /organizations/{organization}/sso-connections/{connection}',
    LISTS,
  )
  const { error, isPending } = connection === null ? create : change
  const save = () => {
    const { client_secret: secret, ...rest } = fields
    if (connection === null) return create.mutate({ path, body: fields }, { onSuccess: onAdded })
    const onSuccess = () => {
      say(words.changed(fields.name))
      onClose()
    }
    const body = { ...rest, ...(secret !== '' && { client_secret: secret }) }
    change.mutate({ path: { ...path, connection: connection.id }, body }, { onSuccess })
  }
  return (
    <FormDialog
      onClose={onClose}
      title={connection === null ? words.addTitle : words.changeTitle(connection.name)}
      {...(connection === null && { description: words.addText })}
      onSubmit={() => {
        save()
      }}
      submit={connection === null ? words.add : words.save}
      busy={isPending}
    >
      {error !== null && FIELDS.every((field) => errorAt(error, field) === undefined) && (
        <FaultNote fault={error} />
      )}
      <ConnectionFields
        fields={fields}
        onChange={setFields}
        fault={error}
        isNew={connection === null}
      />
      {connection !== null && <RedirectUri connection={connection} />}
    </FormDialog>
  )
}

function ConnectionFields({
  fields,
  onChange,
  fault,
  isNew,
}: {
  readonly fields: NewSsoConnection
  readonly onChange: (fields: NewSsoConnection) => void
  readonly fault: Parameters<typeof errorAt>[0]
  readonly isNew: boolean
}) {
  return (
    <>
      {FIELDS.map((field) => (
        <TextField
          key={field}
          {...TEXTS[field]}
          {...(field === 'client_secret' && !isNew && { hint: words.secretKeep, optional: true })}
          type={TYPES[field]}
          required={field !== 'client_secret' || isNew}
          value={fields[field]}
          error={errorAt(fault, field)}
          onChange={(event) => onChange({ ...fields, [field]: event.currentTarget.value })}
        />
      ))}
      <Select
        label={words.role}
        hint={words.roleHint}
        value={fields.default_role}
        options={DEFAULT_ROLES.map((value) => ({ value, label: roles.names[value] }))}
        onChange={(value) => onChange({ ...fields, default_role: value as DefaultRole })}
      />
    </>
  )
}

const TEXTS = {
  name: { label: words.name, hint: words.nameHint },
  issuer: { label: words.issuer, hint: words.issuerHint },
  client_id: { label: words.clientId },
  client_secret: { label: words.clientSecret, hint: words.secretHint },
} as const

const TYPES = { name: 'text', issuer: 'url', client_id: 'text', client_secret: 'password' } as const
