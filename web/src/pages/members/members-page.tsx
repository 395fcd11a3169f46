import { getRouteApi } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import type { Invitation, Member } from '../../api/routes.ts'
import { useList, type List } from '../../api/use-list.ts'
import { Button } from '../../parts/button.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { sortColumn, type Order, type Sorting } from '../../parts/sort-column.tsx'
import { ListTable, type Column } from '../../parts/table.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { present, sortingOf } from '../../shell/search.ts'
import { members as words } from '../../words/members.ts'
import { Invitations } from './invitations.tsx'
import { Invite } from './invite.tsx'
import { MemberRow } from './member-row.tsx'
import { RemoveMember } from './remove-member.tsx'
import { RoleTable } from './role-table.tsx'
import type { MembersSearch } from './search.ts'
import styles from './members.module.css'

const route = getRouteApi('/app/o/$slug/members')

const { columns } = words

function memberColumns(sorting: Sorting<NonNullable<MembersSearch['sort']>>): readonly Column[] {
  return [
    sortColumn({ name: columns.member }, { by: 'name', first: 'asc', ...sorting }),
    sortColumn({ name: columns.role }, { by: 'role', first: 'asc', ...sorting }),
    { name: columns.factor, className: 'opt' },
    { name: columns.keys, numeric: true, className: 'opt' },
    { name: columns.seen },
    { name: columns.actions, hidden: true, className: 'menu-col' },
  ]
}

export function MembersPage() {
  const { path, may } = useOrganization()
  const { open, sort, order } = route.useSearch()
  const navigate = route.useNavigate()
  const setOpen = (dialog: 'invite' | undefined) =>
    void navigate({ search: (before) => present({ ...before, open: dialog }), replace: true })
  const onSort = (by: NonNullable<typeof sort>, direction: Order) =>
    void navigate({
      search: (before) => present({ ...before, sort: by, order: direction }),
      replace: true,
    })
  const [removing, setRemoving] = useState<Member | null>(null)
  const list = useList('GET /organizations/{organization}/members', {
    path,
    query: sortingOf(present({ sort, order })),
  })
  const mayWrite = may('members:write')
  const invitations = useList('GET /organizations/{organization}/invitations', { path })
  return (
    <Page
      title={words.title}
      sub={<Summary list={list} invitations={invitations} />}
      actions={
        mayWrite && (
          <Button look="primary" onClick={() => setOpen('invite')}>
            <UserPlus size={16} aria-hidden /> {words.invite}
          </Button>
        )
      }
    >
      <Card>
        <ListTable
          caption={words.title}
          what={words.title}
          className={styles.members}
          columns={memberColumns({ sort, order, onSort })}
          list={list}
          empty={null}
          row={(member) => <MemberRow key={member.id} member={member} onRemove={setRemoving} />}
        />
      </Card>
      <div className="grid two">
        <Invitations list={invitations} />
        <RoleTable />
      </div>
      {open === 'invite' && mayWrite && <Invite onClose={() => setOpen(undefined)} />}
      {removing !== null && <RemoveMember member={removing} onClose={() => setRemoving(null)} />}
    </Page>
  )
}

function Summary({
  list,
  invitations,
}: {
  readonly list: List<Member>
  readonly invitations: List<Invitation>
}) {
  const { items = [] } = list
  const without = items.filter((member) => member.second_factor === false).length
  const invited = invitations.items?.length ?? 0
  if (items.length === 0) return null
  return (
    <>
      {words.summary(
        words.people(items.length, list.hasMore),
        invited === 0 ? null : words.invitationsCounted(invited, invitations.hasMore),
      )}{' '}
      {without > 0 && <span className="warn">{words.withoutFactor(without)}</span>}
    </>
  )
}
