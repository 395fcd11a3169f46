import { Link, useNavigate } from '@tanstack/react-router'
import { Building2, Clock, Ellipsis, User } from 'lucide-react'
import type { Key } from '../../api/routes.ts'
import { formatAmount, UNKNOWN } from '../../format/number.ts'
import { formatDate, formatSpan } from '../../format/time.ts'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { Name } from '../../parts/name.tsx'
import { sortColumn, type Sorting } from '../../parts/sort-column.tsx'
import type { Column } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Ago } from '../../parts/time.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { keys as words } from '../../words/keys.ts'
import { isUnused, stateOf } from './key-state.ts'
import type { Act } from './keys-page.tsx'
import type { KeyCosts, KeysSearch } from './use-keys.ts'
import { useMayRotate } from './use-may-rotate.ts'
import type { usePeople } from './use-people.ts'
import styles from './keys.module.css'

const { columns } = words

type KeySort = NonNullable<KeysSearch['sort']>

export function keyColumns(currency: string | undefined, chosen: Sorting<KeySort>): Column[] {
  const hasCurrency = currency !== undefined && currency !== ''
  return [
    sortColumn({ name: columns.name }, { by: 'name', first: 'asc', ...chosen }),
    { name: columns.key },
    { name: columns.project, className: 'opt' },
    { name: columns.owner, className: 'opt-2' },
    { name: columns.models, className: 'opt-2' },
    sortColumn({ name: columns.ends }, { by: 'expires', first: 'asc', ...chosen }),
    sortColumn({ name: columns.lastUsed }, { by: 'last_used', first: 'desc', ...chosen }),
    { name: hasCurrency ? columns.cost(currency) : columns.costPlain, numeric: true },
    { name: columns.actions, className: 'menu-col', hidden: true },
  ]
}

type Props = {
  readonly stored: Key
  readonly costs: KeyCosts | undefined
  readonly people: ReturnType<typeof usePeople>
  readonly now: number
  readonly onAct: (act: Act) => void
}

export function KeyRow({ stored, costs, people, now, onAct }: Props) {
  const { slug } = useOrganization()
  const isGone = stored.revoked_at !== null || stateOf(stored, now) === 'ended'
  return (
    <tr className={isGone ? styles.isGone : undefined}>
      <th scope="row">
        <Link to="/o/$slug/keys/$key" params={{ slug, key: stored.id }}>
          <Name value={stored.name} />
        </Link>
        {stored.replaced_by !== null && !isGone && (
          <>
            {' '}
            <Tag>{words.replaced}</Tag>
          </>
        )}
      </th>
      <td className={styles.numEnd}>
        <ShownKey shownAs={stored.shown_as} />
      </td>
      <td className="opt">
        <Name value={stored.project.name} />
      </td>
      <td className={`opt opt-2 cut ${styles.ownerCell}`}>
        <Owner id={stored.created_by} name={people.nameOf(stored.created_by)} />
      </td>
      <td className={`opt opt-2 cut ${styles.modelsCell}`}>
        <Models models={stored.models} />
      </td>
      <td className={`xs-n ${styles.ends}`}>
        <Ends stored={stored} now={now} />
      </td>
      <td className={`xs-n ${styles.lastUsed} ${isUnused(stored, now) && !isGone ? 'warn' : ''}`}>
        {stored.last_used_at === null ? (
          <span className="ink-3">
            <span className={styles.wideOnly}>{words.neverUsed}</span>
            <span className={styles.narrowOnly}>{words.neverUsedLong}</span>
          </span>
        ) : (
          <Ago time={stored.last_used_at} />
        )}
      </td>
      <td className={`num ${styles.cost}`}>
        {costs === undefined ? UNKNOWN : formatAmount(costs.costs.get(stored.id) ?? 0)}
        {costs !== undefined && (
          <span className={`${styles.narrowOnly} ink-3`}> {costs.currency}</span>
        )}
      </td>
      <td className="menu-col opt">
        <RowMenu stored={stored} isGone={isGone} onAct={onAct} />
      </td>
    </tr>
  )
}

export function ShownKey({ shownAs }: { readonly shownAs: string }) {
  const at = shownAs.indexOf('…')
  if (at === -1) return <code className="ink-2">{shownAs}</code>
  return (
    <code className="ink-2">
      <span className={styles.keyPrefix}>{shownAs.slice(0, at)}</span>
      {shownAs.slice(at)}
    </code>
  )
}

export function Owner({ id, name }: { readonly id: string | null; readonly name: string }) {
  const Icon = id === null ? Building2 : User
  return (
    <span className={styles.owner}>
      <Icon size={14} className="ink-3" aria-hidden />
      <Name value={name} />
    </span>
  )
}

export function Models({ models }: { readonly models: Key['models'] }) {
  if (models === null) return <span className="ink-2">{words.allModels}</span>
  if (models.length === 1) return <code className="ink-2">{models[0]}</code>
  return <span title={models.join(', ')}>{words.someModels(models.length)}</span>
}

/** A date, or the state that matters more; on phones with its verb, as there are no headings. */
export function Ends({ stored, now }: { readonly stored: Key; readonly now: number }) {
  const { expires_at: expires, revoked_at: revoked } = stored
  const state = stateOf(stored, now)
  if (state === 'revoked')
    return <Tag>{revoked === null ? words.revoked : words.revokedOn(formatDate(revoked))}</Tag>
  if (expires === null)
    return (
      <>
        <span className={styles.narrowOnly}>{words.neverEnds}</span>
        <span className={`${styles.wideOnly} ink-3`}>{words.never}</span>
      </>
    )
  if (state === 'ended') return <Tag>{words.ended(formatDate(expires))}</Tag>
  if (state === 'working')
    return (
      <>
        <span className={styles.narrowOnly}>{words.ends(formatDate(expires))}</span>
        <span className={styles.wideOnly}>{formatDate(expires)}</span>
      </>
    )
  const span = formatSpan(Date.parse(expires) - now)
  return (
    <Tag tone="warn">
      <Clock size={12} aria-hidden />
      <span className={styles.wideOnly}>{words.endsIn(span)}</span>
      <span className={styles.narrowOnly}>{words.endsInLong(span)}</span>
    </Tag>
  )
}

function RowMenu({
  stored,
  isGone,
  onAct,
}: {
  readonly stored: Key
  readonly isGone: boolean
  readonly onAct: (act: Act) => void
}) {
  const { slug, may } = useOrganization()
  const navigate = useNavigate()
  const mayRotate = useMayRotate()
  const search = { key: stored.id }
  return (
    <Menu label={words.moreAbout(stored.name)} trigger={<Ellipsis size={16} aria-hidden />}>
      <MenuItem
        onSelect={() =>
          void navigate({ to: '/o/$slug/keys/$key', params: { slug, key: stored.id } })
        }
      >
        {words.open}
      </MenuItem>
      <MenuItem
        onSelect={() => void navigate({ to: '/o/$slug/requests', params: { slug }, search })}
      >
        {words.requests}
      </MenuItem>
      <MenuItem onSelect={() => void navigate({ to: '/o/$slug/usage', params: { slug }, search })}>
        {words.usage}
      </MenuItem>
      {may('keys:write') && !isGone && (
        <>
          <hr />
          {mayRotate(stored) && (
            <MenuItem onSelect={() => onAct({ does: 'rotate', key: stored })}>
              {words.rotate}
            </MenuItem>
          )}
          <MenuItem tone="bad" onSelect={() => onAct({ does: 'revoke', key: stored })}>
            {words.revoke}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}
