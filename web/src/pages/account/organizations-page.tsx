import { Link, useNavigate } from '@tanstack/react-router'
import { Building2 } from 'lucide-react'
import { useState } from 'react'
import type { OwnOrganization } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { useList } from '../../api/use-list.ts'
import { Ask } from '../../parts/ask.tsx'
import { ChangeDialog } from '../../parts/change-dialog.tsx'
import { Contact } from '../../parts/contact.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Name } from '../../parts/name.tsx'
import { Card } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { ListTable } from '../../parts/table.tsx'
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
  const create = mayCreate && (
    <DialogButton size="sm" dialog={(close) => <Create onClose={close} />}>
      {words.create}
    </DialogButton>
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
              <DialogButton
                size="sm"
                aria-label={words.leaveLabel(organization.name)}
                dialog={(close) => <Leave organization={organization} onClose={close} />}
              >
                {words.leave}
              </DialogButton>
            </td>
          </tr>
        )}
      />
    </Card>
  )
}

function Create({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState(NO_ORGANIZATION)
  const navigate = useNavigate()
  const create = useChange('POST /organizations', ['GET /me/organizations'])
  return (
    <ChangeDialog
      title={words.create}
      noValidate
      submit={words.create}
      change={create}
      input={{ body: finished(draft) }}
      fields={['name', 'slug', 'already_exists']}
      done={({ name }) => words.created(name)}
      onDone={({ slug }) => void navigate({ to: '/o/$slug', params: { slug } })}
      onClose={onClose}
    >
      <OrganizationFields draft={draft} onChange={setDraft} fault={create.error} />
    </ChangeDialog>
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
  return (
    <Ask
      title={words.leaveTitle(name)}
      text={words.leaveText}
      button={words.leaveTitle(name)}
      change={leave}
      input={{ path: { organization: slug } }}
      done={words.left(name)}
      onClose={onClose}
    />
  )
}
