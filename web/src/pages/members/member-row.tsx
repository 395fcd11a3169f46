import { useNavigate, useRouterState } from '@tanstack/react-router'
import { Ellipsis, ShieldCheck, TriangleAlert } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { Member } from '../../api/routes.ts'
import { formatCount, UNKNOWN } from '../../format/number.ts'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { Name } from '../../parts/name.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Ago } from '../../parts/time.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { useMe } from '../../shell/session.ts'
import { members as words } from '../../words/members.ts'
import { roles } from '../../words/roles.ts'
import { RoleMenu } from './role-menu.tsx'
import styles from './members.module.css'

export function MemberRow({
  member,
  onRemove,
}: {
  readonly member: Member
  readonly onRemove: (member: Member) => void
}) {
  const { may, role: own } = useOrganization()
  const isSelf = useMe().data?.id === member.id
  // Only owners change and remove owners.
  const mayChange = may('members:write') && (member.role !== 'owner' || own === 'owner')
  const { keys } = member
  const isFound = useRouterState({ select: ({ location }) => location.hash === member.id })
  const row = useRef<HTMLTableRowElement>(null)
  useEffect(() => {
    if (isFound) row.current?.scrollIntoView({ block: 'center' })
  }, [isFound])
  return (
    <tr ref={row} className={isFound ? styles.isFound : undefined}>
      <th scope="row">
        <span className="row">
          <span className="avatar" aria-hidden>
            {(member.name ?? member.email).slice(0, 1).toUpperCase()}
          </span>
          <span className={styles.who}>
            <Name value={member.name ?? member.email} />
            {member.name !== null && (
              <span className={styles.whoMail}>
                <Name value={member.email} />
              </span>
            )}
          </span>
          {isSelf && <Tag>{words.you}</Tag>}
        </span>
      </th>
      <td className={styles.roleCell}>
        {mayChange ? (
          <RoleMenu member={member} isSelf={isSelf} />
        ) : (
          <span className={styles.role} title={roles.may[member.role]}>
            {roles.names[member.role]}
          </span>
        )}
      </td>
      <td className="opt">
        <Factor has={member.second_factor} />
      </td>
      <td className="opt num">
        {keys === null ? UNKNOWN : `${formatCount(keys.count)}${keys.more ? '+' : ''}`}
      </td>
      <td className={styles.lastSeen}>
        <Ago time={member.last_seen_at} />
      </td>
      <td className="menu-col">
        <RowMenu member={member} isSelf={isSelf} mayRemove={mayChange} onRemove={onRemove} />
      </td>
    </tr>
  )
}

function Factor({ has }: { readonly has: boolean | null }) {
  if (has === null) return UNKNOWN
  return has ? (
    <span className="row tight">
      <ShieldCheck size={16} aria-hidden className="ink-3" /> {words.set}
    </span>
  ) : (
    <span className="row tight warn">
      <TriangleAlert size={16} aria-hidden /> {words.none}
    </span>
  )
}

function RowMenu({
  member,
  isSelf,
  mayRemove,
  onRemove,
}: {
  readonly member: Member
  readonly isSelf: boolean
  readonly mayRemove: boolean
  readonly onRemove: (member: Member) => void
}) {
  const { slug, may } = useOrganization()
  const navigate = useNavigate()
  const items = [
    ...(may('audit:read')
      ? [
          {
            label: words.showAudit,
            onSelect: () =>
              void navigate({
                to: '/o/$slug/audit',
                params: { slug },
                search: { actor: member.id },
              }),
          },
        ]
      : []),
    ...(isSelf
      ? [
          {
            label: words.leave,
            onSelect: () => void navigate({ to: '/account/organizations' }),
          },
        ]
      : []),
    ...(mayRemove && !isSelf
      ? [{ label: words.remove, tone: 'bad' as const, onSelect: () => onRemove(member) }]
      : []),
  ]
  if (items.length === 0) return null
  return (
    <Menu
      label={words.actionsFor(member.name ?? member.email)}
      trigger={<Ellipsis size={16} aria-hidden />}
    >
      {items.map(({ label, ...item }) => (
        <MenuItem key={label} {...item}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  )
}
