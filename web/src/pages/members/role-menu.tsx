import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import type { Member } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { FaultNote } from '../../parts/states.tsx'
import { say } from '../../parts/toast.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { members as words } from '../../words/members.ts'
import { roles } from '../../words/roles.ts'
import styles from './members.module.css'

export type Role = Member['role']

export const ROLES: readonly Role[] = ['viewer', 'member', 'admin', 'owner']

/** Only owners make owners. */
export function rolesToGive(own: Role): readonly Role[] {
  return own === 'owner' ? ROLES : ROLES.filter((role) => role !== 'owner')
}

/** The role of a member, changed in place. One's own is changed after a question. */
export function RoleMenu({
  member,
  isSelf,
}: {
  readonly member: Member
  readonly isSelf: boolean
}) {
  const { path, role: own } = useOrganization()
  const [asked, setAsked] = useState<Role | null>(null)
  const change = useChange('PATCH /organizations/{organization}/members/{account}', [
    'GET /organizations/{organization}/members',
    'GET /me/organizations',
  ])
  const name = member.name ?? member.email
  const set = (role: Role) =>
    change.mutate(
      { path: { ...path, account: member.id }, body: { role } },
      {
        onSuccess: () =>
          say(role === 'viewer' ? words.nowViewer(name) : words.roleChanged(name, roles.as[role])),
        onError: () => setAsked(role),
        onSettled: (_, error) => error === null && setAsked(null),
      },
    )
  return (
    <>
      <Menu
        align="start"
        className={`${styles.role} ${styles.isMenu}`}
        label={words.roleIs(roles.names[member.role], name)}
        trigger={
          <>
            {roles.names[member.role]} <ChevronDown size={14} aria-hidden />
          </>
        }
      >
        {rolesToGive(own).map((role) => (
          <MenuItem
            key={role}
            checked={role === member.role}
            onSelect={() => {
              if (role === member.role) return
              if (isSelf) setAsked(role)
              else set(role)
            }}
          >
            <span className={styles.menuTwo}>
              <b>{roles.names[role]}</b>
              <small>{roles.may[role]}</small>
            </span>
          </MenuItem>
        ))}
      </Menu>
      <RoleQuestion
        asked={asked}
        isSelf={isSelf}
        name={name}
        change={change}
        onClose={() => {
          setAsked(null)
          change.reset()
        }}
        onConfirm={set}
      />
    </>
  )
}

type Changing = {
  readonly error: Parameters<typeof FaultNote>[0]['fault'] | null
  readonly isPending: boolean
}

/** Asks before one's own role is changed, and shows why a change was refused. */
function RoleQuestion({
  asked,
  isSelf,
  name,
  change,
  onClose,
  onConfirm,
}: {
  readonly asked: Role | null
  readonly isSelf: boolean
  readonly name: string
  readonly change: Changing
  readonly onClose: () => void
  readonly onConfirm: (role: Role) => void
}) {
  if (asked === null) return null
  const role = roles.as[asked]
  return (
    <Dialog
      open
      alert
      onClose={onClose}
      title={isSelf ? words.ownRoleTitle(role) : words.roleOf(name)}
      {...(isSelf && { description: words.ownRoleText(role) })}
    >
      {change.error !== null && (
        <DialogBody>
          <FaultNote fault={change.error} />
        </DialogBody>
      )}
      <DialogFoot>
        <Button onClick={onClose}>{everywhere.cancel}</Button>
        <Button
          look={isSelf ? 'danger' : 'primary'}
          busy={change.isPending}
          onClick={() => onConfirm(asked)}
        >
          {isSelf ? words.ownRoleButton : everywhere.tryAgain}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
