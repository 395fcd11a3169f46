import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Organization } from '../../api/routes.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { errorAt, TextField } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { FaultNote, Loaded } from '../../parts/states.tsx'
import { Instant } from '../../parts/time.tsx'
import { say } from '../../parts/toast.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { general as words } from '../../words/settings.ts'
import { DeleteOrganizationCard } from './delete-organization.tsx'

export function GeneralPage() {
  const { path, may } = useOrganization()
  const reading = useApi('GET /organizations/{organization}', { path })
  return (
    <Loaded reading={reading} what={words.card}>
      {(organization) => (
        <div className="grid two even">
          <Card title={words.card}>
            {may('organization:write') && <Rename organization={organization} />}
            <dl className="facts card-body">
              {!may('organization:write') && (
                <>
                  <dt>{words.name}</dt>
                  <dd>{organization.name}</dd>
                </>
              )}
              <dt>{words.slug}</dt>
              <dd>
                <Copy value={organization.slug} what={words.slug} />
                <span className="hint block">{words.slugHint}</span>
              </dd>
              <dt>{words.id}</dt>
              <dd>
                <Copy value={organization.id} what={words.id} />
              </dd>
              <dt>{words.plan}</dt>
              <dd>
                {organization.plan}
                <span className="hint block">{words.planHint}</span>
              </dd>
              <dt>{words.retention}</dt>
              <dd>
                <code>{organization.retention}</code>
              </dd>
              <dt>{words.created}</dt>
              <dd>
                <Instant time={organization.created_at} />
              </dd>
            </dl>
          </Card>
          <div className="grid">
            <Card title={words.leave}>
              <p className="card-body form-foot">
                <span className="grow ink-2">{words.leaveText}</span>
                <Link className="btn" to="/account/organizations">
                  {words.leaveLink}
                </Link>
              </p>
            </Card>
            {may('organization:delete') && <DeleteOrganizationCard />}
          </div>
        </div>
      )}
    </Loaded>
  )
}

function Rename({ organization }: { readonly organization: Organization }) {
  const { path } = useOrganization()
  const [name, setName] = useState(organization.name)
  const change = useChange('PATCH /organizations/{organization}', [
    'GET /organizations/{organization}',
    'GET /me/organizations',
  ])
  const atName = errorAt(change.error, 'name')
  return (
    <form
      className="card-body form"
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate({ path, body: { name: name.trim() } }, { onSuccess: () => say(words.saved) })
      }}
    >
      {change.error !== null && atName === undefined && <FaultNote fault={change.error} />}
      <TextField
        label={words.name}
        hint={words.nameHint}
        required
        maxLength={100}
        value={name}
        error={atName}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <div className="form-foot">
        <Button
          look="primary"
          type="submit"
          busy={change.isPending}
          disabled={name.trim() === organization.name}
        >
          {everywhere.save}
        </Button>
      </div>
    </form>
  )
}
