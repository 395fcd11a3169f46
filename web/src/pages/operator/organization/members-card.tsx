import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { OrganizationDetail } from '../../../api/routes.ts'
import { useList } from '../../../api/use-list.ts'
import { UNKNOWN } from '../../../format/number.ts'
import { formatInstant } from '../../../format/time.ts'
import { Button } from '../../../parts/button.tsx'
import { Name } from '../../../parts/name.tsx'
import { Card } from '../../../parts/page.tsx'
import { Slots } from '../../../parts/slots.tsx'
import { Empty } from '../../../parts/states.tsx'
import { ListTable } from '../../../parts/table.tsx'
import { Ago } from '../../../parts/time.tsx'
import { roles } from '../../../words/roles.ts'
import { operatorOrganizations as words } from '../../../words/operator-organizations.ts'
import { useMayChange } from '../platform-role.ts'
import { InviteOwner } from './invite-owner.tsx'

const PAGE = 20

const COLUMNS = [
  { name: words.person },
  { name: words.role },
  { name: words.secondFactor, className: 'opt-2' },
  { name: words.lastSeen },
]

export function MembersCard({
  detail,
  isDeleted,
}: {
  readonly detail: OrganizationDetail
  readonly isDeleted: boolean
}) {
  const organization = detail.organization.id
  const { has_owner: hasOwner, owner_invitation: invited } = detail
  const mayChange = useMayChange()
  const [inviting, setInviting] = useState(false)
  const list = useList('GET /operator/organizations/{organization}/members', {
    path: { organization },
    query: { limit: PAGE },
  })
  return (
    <Card
      title={words.members}
      end={
        mayChange &&
        !hasOwner &&
        !isDeleted && (
          <Button size="sm" onClick={() => setInviting(true)}>
            {words.inviteOwner}
          </Button>
        )
      }
    >
      {!hasOwner && invited !== null && <Invited {...invited} />}
      <ListTable
        caption={words.membersCaption}
        what={words.members}
        columns={COLUMNS}
        list={list}
        empty={<Empty title={words.noMembers}>{isDeleted ? undefined : words.noMembersText}</Empty>}
        row={({ id, email, name, role, second_factor: factor, last_seen_at: seen }) => (
          <tr key={id}>
            <th scope="row">
              <Link to="/operator/accounts/$account" params={{ account: id }}>
                <Name value={name ?? email} />
              </Link>
              {name !== null && (
                <span className="hint block">
                  <Name value={email} />
                </span>
              )}
            </th>
            <td>{roles.names[role]}</td>
            <td className="opt opt-2">
              {factor === null ? UNKNOWN : factor ? words.yes : words.no}
            </td>
            <td className="ink-3 xs-n">
              <Ago time={seen} />
            </td>
          </tr>
        )}
      />
      {inviting && (
        <InviteOwner
          organization={organization}
          invited={invited?.email}
          onClose={() => setInviting(false)}
        />
      )}
    </Card>
  )
}

function Invited({ email, ends_at: until }: NonNullable<OrganizationDetail['owner_invitation']>) {
  const parts = { person: <Name value={email} />, time: formatInstant(until) }
  return (
    <p className="card-body">
      <Slots text={words.ownerInvited} parts={parts} />
    </p>
  )
}
