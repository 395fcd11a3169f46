import { useState } from 'react'
import type { NewSsoConnection, SsoConnection } from '../../api/routes.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { ChangeDialog } from '../../parts/change-dialog.tsx'
import { Copy } from '../../parts/copy.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { errorAt, Select, TextField } from '../../parts/field.tsx'
import { Loaded, Skeleton } from '../../parts/states.tsx'
import { say } from '../../parts/toast.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { roles } from '../../words/roles.ts'
import { connections as words } from '../../words/sign-in-rules.ts'

const LIST = 'GET /organizations/{organization}/sso-connections'
const NEXT = 'GET /organizations/{organization}/sso-connections/next'
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
 * A new identity provider, or the settings of one. The secret is never shown again. A provider asks
 * for the redirect URI before it gives a client id, so it stands above the fields of a new one.
 */
export function ConnectionDialog({
  connection,
  onClose,
}: {
  readonly connection: SsoConnection | null
  readonly onClose: () => void
}) {
  return connection === null ? (
    <AddConnection onClose={onClose} />
  ) : (
    <ChangeConnection connection={connection} onClose={onClose} />
  )
}

function RedirectUri({ uri }: { readonly uri: string }) {
  return (
    <div className="field">
      <strong>{words.redirect}</strong>
      <Copy value={uri} what={words.redirect} />
      <p className="hint">{words.redirectHint}</p>
    </div>
  )
}

function AddConnection({ onClose }: { readonly onClose: () => void }) {
  const { path } = useOrganization()
  const [fields, setFields] = useState(() => fieldsOf(null))
  const next = useApi(NEXT, { path }, { freshFor: 0 })
  const create = useChange('POST /organizations/{organization}/sso-connections', [LIST, NEXT])
  const onSuccess = () => {
    say(words.added(fields.name))
    onClose()
  }
  const onError = () => void next.refetch()
  const add = () => {
    if (next.data !== undefined)
      create.mutate({ path, body: { ...fields, id: next.data.id } }, { onSuccess, onError })
  }
  return (
    <FormDialog
      onClose={onClose}
      title={words.addTitle}
      description={words.addText}
      onSubmit={add}
      submit={words.add}
      busy={create.isPending}
      disabled={next.data === undefined}
      fault={create.error}
      fields={FIELDS}
    >
      <Loaded reading={next} what={words.redirect} skeleton={<Skeleton lines={1} />}>
        {({ redirect_uri: uri }) => <RedirectUri uri={uri} />}
      </Loaded>
      <ConnectionFields fields={fields} onChange={setFields} fault={create.error} isNew />
    </FormDialog>
  )
}

function ChangeConnection({
  connection,
  onClose,
}: {
  readonly connection: SsoConnection
  readonly onClose: () => void
}) {
  const { path } = useOrganization()
  const [fields, setFields] = useState(() => fieldsOf(connection))
  const change = useChange('PATCH /organizations/{organization}/sso-connections/{connection}', [
    LIST,
  ])
  const { client_secret: secret, ...rest } = fields
  const body = { ...rest, ...(secret !== '' && { client_secret: secret }) }
  return (
    <ChangeDialog
      title={words.changeTitle(connection.name)}
      submit={words.save}
      change={change}
      input={{ path: { ...path, connection: connection.id }, body }}
      fields={FIELDS}
      done={words.changed(fields.name)}
      onClose={onClose}
    >
      <ConnectionFields fields={fields} onChange={setFields} fault={change.error} isNew={false} />
      <RedirectUri uri={connection.redirect_uri} />
    </ChangeDialog>
  )
}

type FieldFault = Parameters<typeof errorAt>[0]

function ConnectionFields({
  fields,
  onChange,
  fault,
  isNew,
}: {
  readonly fields: NewSsoConnection
  readonly onChange: (fields: NewSsoConnection) => void
  readonly fault: FieldFault
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
