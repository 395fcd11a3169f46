import { Link, useNavigate } from '@tanstack/react-router'
import { Building2 } from 'lucide-react'
import { useState } from 'react'
import type { OwnOrganization } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { useList } from '../../api/use-list.ts'
import { Ask } from '../../parts/ask.tsx'
import { Button } from '../../parts/button.tsx'
import { Contact } from '../../parts/contact.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Name } from '../../parts/name.tsx'
import { Card } from '../../parts/page.tsx'
import { Empty, FaultNote } from '../../parts/states.tsx'
import { ListTable } from '../../parts/table.tsx'
import { say } from '../../parts/toast.tsx'
import { useMe } from '../../shell/session.ts'
import { account } from '../../words/account.ts'
import { finished, NO_ORGANIZATION, OrganizationFields } from './organization-fields.tsx'

const words = account.organizations

const COLUMNS = [
  { name: words.columns.name },
  { name: words.columns.role },
  { name: words.columns.plan },
  { name: words.columns.actions, hidden: true },
]

export function OrganizationsPage() {
  const list = useList('GET /me/organizations', {})
  const mayCreate = useMe().data?.may_create_organizations === true
  const [creating, setCreating] = useState(false)
  const [leaving, setLeaving] = useState<OwnOrganization>()
  const create = mayCreate && (
    <Button size="sm" onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  )
  return (
    <Card title={account.tabs.organizations} end={create}>
      <ListTable
        caption={words.caption}
        what={words.what}
        columns={COLUMNS}
        list={list}
        empty={
          <Empty
            icon={<Building2 size={20} aria-hidden />}
            title={words.none}
            action={!mayCreate && <Contact className="btn" />}
          >
            {mayCreate ? words.noneCreate : words.noneInvited}
          </Empty>
        }
        row={(organization) => (
          <tr key={organization.id}>
            <th scope="row">
              <Link className="link" to="/o/$slug" params={{ slug: organization.slug }}>
                <Name value={organization.name} />
              </Link>
            </th>
            <td>{words.roles[organization.role]}</td>
            <td>{organization.plan}</td>
            <td className="num">
              <Button
                size="sm"
                aria-label={words.leaveLabel(organization.name)}
                onClick={() => setLeaving(organization)}
              >
                {words.leave}
              </Button>
            </td>
          </tr>
        )}
      />
      {creating && <Create onClose={() => setCreating(false)} />}
      {leaving !== undefined && (
        <Leave organization={leaving} onClose={() => setLeaving(undefined)} />
      )}
    </Card>
  )
}

function Create({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState(NO_ORGANIZATION)
  const navigate = useNavigate()
  const create = useChange('POST /organizations', ['GET /me/organizations'])
  const submit = () => {
    if (create.isPending) return
    create.mutate(
      { body: finished(draft) },
      {
        onSuccess: ({ slug, name }) => {
          say(words.created(name))
          void navigate({ to: '/o/$slug', params: { slug } })
        },
      },
    )
  }
  const { error } = create
  const isAtField = error === null || error.param !== null || error.code === 'already_exists'
  return (
    <FormDialog
      onClose={onClose}
      title={words.create}
      noValidate
      onSubmit={submit}
      submit={words.create}
      busy={create.isPending}
    >
      {!isAtField && <FaultNote fault={error} />}
      <OrganizationFields draft={draft} onChange={setDraft} fault={error} />
    </FormDialog>
  )
}

function Leave({
  organization: { slug, name },
  onClose,
}: {
  readonly organization: OwnOrganization
  readonly onClose: () => void
}) {
  const leave = useChange('DELETE /organizations/{organization}/members/me', 'all')
  const onSuccess = () => {
    say(words.left(name))
    onClose()
  }
  return (
    <Ask
      title={words.leaveTitle(name)}
      text={words.leaveText}
      button={words.leaveTitle(name)}
      fault={leave.error}
      busy={leave.isPending}
      onConfirm={() => leave.mutate({ path: { organization: slug } }, { onSuccess })}
      onClose={onClose}
    />
  )
}
