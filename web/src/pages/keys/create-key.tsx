import { useId, useState } from 'react'
import { grantOf } from '../../../../src/tenancy/permissions.ts'
import { useApi } from '../../api/use-api.ts'
import { useSecretChange } from '../../api/use-secret-change.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { errorAt, Select } from '../../parts/field.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { keyDialogs as words } from '../../words/key-dialogs.ts'
import { keys } from '../../words/keys.ts'
import { bodyOf, mistakesIn, NEW_DRAFT, type Draft } from './key-draft.ts'
import { EndField, IgnoredFields, LimitFields, ModelFields, NameField } from './key-fields.tsx'
import { KeySecret } from './key-secret.tsx'
import styles from './keys.module.css'

const PROJECTS_OFFERED = 100
/** What the management API calls the fields of a key. */
export const KEY_FIELDS = [
  'name',
  'project',
  'expires_at',
  'models',
  'requests_per_minute',
  'spending_limit',
  'ignored_parameters',
]

type Owner = 'me' | 'organization'

/** The form, and then the key in its place. */
export function CreateKey({ onClose }: { readonly onClose: (isCreated: boolean) => void }) {
  const { path, role } = useOrganization()
  const [draft, setDraft] = useState<Draft>(NEW_DRAFT)
  const [project, setProject] = useState('')
  const [owner, setOwner] = useState<Owner>('me')
  const creation = useSecretChange('POST /organizations/{organization}/keys', [
    'GET /organizations/{organization}/keys',
    'GET /organizations/{organization}/overview',
  ])
  const projects = useProjects()
  const models = useApi('GET /organizations/{organization}/models', { path }).data?.data ?? []
  if (creation.answer !== null)
    return <KeySecret created={creation.answer} onClose={() => onClose(true)} />
  const { fault } = creation
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const fields = { draft, change, fault }
  const chosen = projects.some(({ name }) => name === project) ? project : projects[0]?.name
  const submit = () => {
    const mistakes = mistakesIn(draft)
    if (mistakes.models || mistakes.perMinute) return
    const settings = bodyOf(draft, Date.now())
    const body = { ...settings, owner, ...(chosen !== undefined && { project: chosen }) }
    creation.make({ path, body })
  }
  return (
    <FormDialog
      onClose={() => onClose(false)}
      title={words.create}
      description={keys.createText}
      onSubmit={submit}
      submit={words.create}
      busy={creation.busy}
      fault={fault}
      fields={KEY_FIELDS}
    >
      <NameField {...fields} hint={words.nameHint} />
      <div className="pair">
        <Select
          label={words.project}
          options={projects.map(({ name }) => ({ value: name, label: name }))}
          value={chosen ?? ''}
          onChange={setProject}
          error={errorAt(fault, 'project')}
        />
        <EndField {...fields} />
      </div>
      {grantOf('keys:write', role) === 'all' && <OwnerField owner={owner} onChoose={setOwner} />}
      <ModelFields {...fields} models={models} />
      <details className={styles.more}>
        <summary>{words.more}</summary>
        <LimitFields {...fields} currency={models[0]?.prices?.input.currency} />
        <IgnoredFields {...fields} />
      </details>
    </FormDialog>
  )
}

/** Those that take keys; `default` first, where a key goes if nobody chooses. */
function useProjects() {
  const { path } = useOrganization()
  const projects = useApi('GET /organizations/{organization}/projects', {
    path,
    query: { limit: PROJECTS_OFFERED },
  }).data?.data
  const open = (projects ?? []).filter(({ archived_at }) => archived_at === null)
  return open.toSorted((a, b) => Number(b.name === 'default') - Number(a.name === 'default'))
}

function OwnerField({
  owner,
  onChoose,
}: {
  readonly owner: Owner
  readonly onChoose: (owner: Owner) => void
}) {
  const { name: organization } = useOrganization()
  const name = useId()
  const options = [
    ['me', words.me, words.meText(organization)],
    ['organization', words.organization, words.organizationText],
  ] as const
  return (
    <fieldset className="field">
      <legend className="label">{words.belongsTo}</legend>
      <div className={styles.options}>
        {options.map(([value, label, text]) => (
          <label
            key={value}
            className={
              value === owner ? `choice ${styles.option} ${styles.on}` : `choice ${styles.option}`
            }
          >
            <input
              type="radio"
              name={name}
              checked={value === owner}
              onChange={() => onChoose(value)}
            />
            <span>
              <b>{label}</b>
              <small>{text}</small>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
