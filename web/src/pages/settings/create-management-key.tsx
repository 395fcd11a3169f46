import { useState } from 'react'
import { scopesOfRole } from '../../../../src/tenancy/permissions.ts'
import { addressOf } from '../../api/call.ts'
import { useSecretChange } from '../../api/use-secret-change.ts'
import { Code } from '../../parts/code.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Checkbox, errorAt, Select, TextField } from '../../parts/field.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { managementKeys as words } from '../../words/settings.ts'
import styles from './settings.module.css'

const DAY_MS = 86_400_000
const EXPIRIES = [30, 90, 180, 365]
const EXPIRY_DEFAULT = 90

/** Asks for name, expiry and scopes; then another dialog shows the key, once. */
export function CreateManagementKey({ onClose }: { readonly onClose: () => void }) {
  const { path } = useOrganization()
  const making = useSecretChange('POST /organizations/{organization}/management-keys', [
    'GET /organizations/{organization}/management-keys',
  ])
  const [name, setName] = useState('')
  const [days, setDays] = useState(EXPIRY_DEFAULT)
  const [scopes, setScopes] = useState<readonly string[]>([])
  const { answer, fault } = making
  if (answer !== null) return <CreatedKey secret={answer.key} onClose={onClose} />
  const create = () => {
    const expires = new Date(Date.now() + days * DAY_MS).toISOString()
    making.make({ path, body: { name: name.trim(), scopes, expires_at: expires } })
  }
  return (
    <FormDialog
      wide
      onClose={onClose}
      title={words.create}
      description={words.noneText}
      onSubmit={create}
      submit={words.createButton}
      busy={making.busy}
      disabled={scopes.length === 0}
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
      <Select
        label={words.expiry}
        value={String(days)}
        options={EXPIRIES.map((value) => ({ value: String(value), label: words.days(value) }))}
        onChange={(value) => setDays(Number(value))}
      />
      <Scopes chosen={scopes} onChange={setScopes} />
    </FormDialog>
  )
}

type Preset = {
  readonly name: keyof typeof words.presets
  readonly has: (scope: string) => boolean
}

/** What most programs need. */
const PRESETS: readonly Preset[] = [
  { name: 'read', has: (scope) => scope.endsWith(':read') },
  { name: 'keys', has: (scope) => ['projects:read', 'keys:read', 'keys:write'].includes(scope) },
  { name: 'billing', has: (scope) => ['usage:read', 'billing:read'].includes(scope) },
]

/** No more than the role may do. */
function Scopes({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[]
  readonly onChange: (scopes: readonly string[]) => void
}) {
  const { role } = useOrganization()
  const allowed = scopesOfRole(role)
  return (
    <fieldset className="field">
      <legend className="label">{words.scopes}</legend>
      <p className="hint">{chosen.length === 0 ? words.noScopes : words.scopesHint}</p>
      <div className="filters">
        {PRESETS.map(({ name, has }) => {
          const scopes = allowed.filter((scope) => has(scope))
          const isChosen = scopes.join() === allowed.filter((one) => chosen.includes(one)).join()
          return (
            <button
              key={name}
              type="button"
              className={isChosen ? 'chip set' : 'chip'}
              aria-pressed={isChosen}
              onClick={() => onChange(scopes)}
            >
              {words.presets[name]}
            </button>
          )
        })}
      </div>
      <div className={styles.scopes}>
        {allowed.map((scope) => (
          <Checkbox
            key={scope}
            label={
              <>
                <code>{scope}</code>
                <span className="hint block">{words.scopeTexts[scope]}</span>
              </>
            }
            checked={chosen.includes(scope)}
            onChange={(event) =>
              onChange(
                event.currentTarget.checked
                  ? [...chosen, scope]
                  : chosen.filter((each) => each !== scope),
              )
            }
          />
        ))}
      </div>
    </fieldset>
  )
}

function CreatedKey({
  secret,
  onClose,
}: {
  readonly secret: string
  readonly onClose: () => void
}) {
  const { path } = useOrganization()
  const address = `${location.origin}${addressOf('GET /organizations/{organization}', { path })}`
  return (
    <SecretDialog
      title={words.createdTitle}
      text={words.createdText}
      secret={secret}
      what={words.key}
      onClose={onClose}
    >
      <Code
        what={words.example}
        text={`curl ${address} \\\n  -H "Authorization: Bearer $MANAGEMENT_KEY"`}
      />
    </SecretDialog>
  )
}
