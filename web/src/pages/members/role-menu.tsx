import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import type { Member } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { Ask } from '../../parts/ask.tsx'
import { Menu, MenuItem } from '../../parts/menu.tsx'
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
  const inputOf = (role: Role) => ({ path: { ...path, account: member.id }, body: { role } })
  const doneOf = (role: Role) =>
    role === 'viewer' ? words.nowViewer(name) : words.roleChanged(name, roles.as[role])
  // Why a change was refused is said in the question.
  const set = (role: Role) =>
    change.mutate(inputOf(role), {
      onSuccess: () => say(doneOf(role)),
      onError: () => setAsked(role),
    })
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
      {asked !== null && (
        <Ask
          title={isSelf ? words.ownRoleTitle(roles.as[asked]) : words.roleOf(name)}
          text={isSelf ? words.ownRoleText(roles.as[asked]) : undefined}
          button={isSelf ? words.ownRoleButton : everywhere.tryAgain}
          look={isSelf ? 'danger' : 'primary'}
          change={change}
          input={inputOf(asked)}
          done={doneOf(asked)}
          onClose={() => {
            setAsked(null)
            change.reset()
          }}
        />
      )}
    </>
  )
}
