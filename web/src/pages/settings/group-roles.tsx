import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import type { ScimRoles } from '../../api/routes.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { Select, TextField } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { roles as roleWords } from '../../words/roles.ts'
import { groupRoles as words } from '../../words/sign-in-rules.ts'
import { AskedForm } from './asked-form.tsx'
import styles from './settings.module.css'

const READ = 'GET /organizations/{organization}/scim'
const ROLES = ['owner', 'admin', 'member', 'viewer'] as const

type GroupRole = ScimRoles['roles'][number]

/** Which roles groups of the identity provider give. */
export function GroupRoles() {
  const { path } = useOrganization()
  const reading = useApi(READ, { path }, { freshFor: Infinity })
  return (
    <Card title={words.card}>
      <Loaded reading={reading} what={words.card}>
        {({ roles }) => <RolesForm key={JSON.stringify(roles)} roles={roles} />}
      </Loaded>
    </Card>
  )
}

function RolesForm({ roles }: { readonly roles: readonly GroupRole[] }) {
  const { path } = useOrganization()
  const [wanted, setWanted] = useState(roles)
  const change = useChange('PUT /organizations/{organization}/scim', [READ])
  const givesOwner = wanted.some(({ role }) => role === 'owner')
  return (
    <AskedForm
      words={words}
      consequence={givesOwner ? `${words.consequence} ${words.owners}` : words.consequence}
      change={change}
      input={{ path, body: { roles: wanted } }}
      isSame={JSON.stringify(wanted) === JSON.stringify(roles)}
      more={
        <Button onClick={() => setWanted([...wanted, { group: '', role: 'member' }])}>
          <Plus size={14} aria-hidden /> {words.add}
        </Button>
      }
    >
      {wanted.length === 0 && <p className="ink-3">{words.none}</p>}
      {wanted.map((each, at) => (
        <Row
          key={at}
          row={each}
          onChange={(row) => setWanted(wanted.with(at, row))}
          onRemove={() => setWanted(wanted.filter((_, other) => other !== at))}
        />
      ))}
    </AskedForm>
  )
}

function Row({
  row,
  onChange,
  onRemove,
}: {
  readonly row: GroupRole
  readonly onChange: (row: GroupRole) => void
  readonly onRemove: () => void
}) {
  const { may } = useOrganization()
  return (
    <div className={styles.groupRole}>
      <TextField
        label={words.group}
        required
        maxLength={255}
        readOnly={!may('sign-in:write')}
        value={row.group}
        onChange={(event) => onChange({ ...row, group: event.currentTarget.value })}
      />
      <Select
        label={words.role}
        value={row.role}
        disabled={!may('sign-in:write')}
        options={ROLES.map((value) => ({ value, label: roleWords.names[value] }))}
        onChange={(value) => onChange({ ...row, role: value as GroupRole['role'] })}
      />
      {may('sign-in:write') && (
        <Button
          size="sm"
          aria-label={words.remove(row.group === '' ? words.newGroup : row.group)}
          onClick={onRemove}
        >
          <X size={14} aria-hidden />
        </Button>
      )}
    </div>
  )
}
