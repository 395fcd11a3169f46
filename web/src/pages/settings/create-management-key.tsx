import { useState } from 'react'
import { scopesOfRole } from '../../../../src/tenancy/permissions.ts'
import { addressOf } from '../../api/call.ts'
import type { CreatedManagementKey } from '../../api/routes.ts'
import { useSecretChange } from '../../api/use-secret-change.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx'
import { Checkbox, errorAt, Select, TextField } from '../../parts/field.tsx'
import { FaultNote } from '../../parts/states.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { managementKeys as words } from '../../words/settings.ts'
import styles from './settings.module.css'

const DAY_MS = 86_400_000
const EXPIRIES = [30, 90, 180, 365]
const EXPIRY_DEFAULT = 90

/** Asks for name, expiry and scopes; then the same dialog shows the key, once. */
export function CreateManagementKey({ onClose }: { readonly onClose: () => void }) {
  const making = useSecretChange('POST /organizations/{organization}/management-keys', [
    'GET /organizations/{organization}/management-keys',
  ])
  if (making.answer !== null)
    return (
      <CreatedKey
        created={making.answer}
        onClose={() => {
          making.forget()
          onClose()
        }}
      />
    )
  return <NewKey making={making} onClose={onClose} />
}

type Making = ReturnType<
  typeof useSecretChange<'POST /organizations/{organization}/management-keys'>
>

function NewKey({ making, onClose }: { readonly making: Making; readonly onClose: () => void }) {
  const { path } = useOrganization()
  const { fault } = making
  const [name, setName] = useState('')
  const [days, setDays] = useState(EXPIRY_DEFAULT)
  const [scopes, setScopes] = useState<readonly string[]>([])
  const atName = errorAt(fault, 'name')
  return (
    <Dialog open wide onClose={onClose} title={words.create} description={words.noneText}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const expires = new Date(Date.now() + days * DAY_MS).toISOString()
          making.make({ path, body: { name: name.trim(), scopes, expires_at: expires } })
        }}
      >
        <DialogBody>
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
          <Select
            label={words.expiry}
            value={String(days)}
            options={EXPIRIES.map((value) => ({
              value: String(value),
              label: words.days(value),
            }))}
            onChange={(value) => setDays(Number(value))}
          />
          <Scopes chosen={scopes} onChange={setScopes} />
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{everywhere.cancel}</Button>
          <Button
            look="primary"
            type="submit"
            busy={making.busy}
            disabled={scopes.length === 0}
            title={scopes.length === 0 ? words.noScopes : undefined}
          >
            {words.createButton}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
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
  created,
  onClose,
}: {
  readonly created: CreatedManagementKey
  readonly onClose: () => void
}) {
  const { path } = useOrganization()
  const address = `${location.origin}${addressOf('GET /organizations/{organization}', { path })}`
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
          <code>{created.key}</code>
          <CopyButton value={created.key} what={words.key} label={everywhere.copy} />
        </div>
        <Code
          what={words.example}
          text={`curl ${address} \\\n  -H "Authorization: Bearer $MANAGEMENT_KEY"`}
        />
      </DialogBody>
      <DialogFoot>
        <Button look="primary" onClick={onClose}>
          {words.done}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
