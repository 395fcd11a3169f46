import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect, useState, type ReactNode } from 'react'
import { rolesWith, type OrganizationPermission } from '../../../src/tenancy/permissions.ts'
import { Button } from '../parts/button.tsx'
import { Page } from '../parts/page.tsx'
import { Skeleton } from '../parts/states.tsx'
import { formatList } from '../format/list.ts'
import { gate as words } from '../words/gate.ts'
import { roles } from '../words/roles.ts'
import { useNamesWith } from './names-with.ts'
import { neededFor } from './needs.ts'
import { useAccess, useOrganization, useOwnOrganizations } from './organization.tsx'
import { signOut, useMe } from './session.ts'

/** Pages of an organization: nothing of them is read by whom they are not for. */
export function OrganizationGate() {
  const access = useAccess()
  const { slug, may } = useOrganization()
  const needs = useRouterState({ select: ({ location }) => neededFor(location.pathname) })
  const isSure = useSecondLook(slug, access === 'none')
  if (access === 'unknown' || (access === 'none' && !isSure))
    return (
      <div className="page">
        <Skeleton lines={5} />
      </div>
    )
  if (access === 'none') return <NoOrganization slug={slug} />
  if (access === 'member' && needs !== undefined && !may(needs)) return <WrongRole needs={needs} />
  return <Outlet />
}

/** Pages of operators and support. */
export function OperatorGate() {
  const me = useMe().data
  if (me?.platform_role !== null) return <Outlet />
  return (
    <Calm title={words.wrongRole}>
      <p>{words.notOperator}</p>
    </Calm>
  )
}

/** An organization may be newer than the list: it is read once more before somebody is refused. */
function useSecondLook(slug: string, isWanted: boolean): boolean {
  const { refetch } = useOwnOrganizations()
  const [looked, setLooked] = useState<string | null>(null)
  useEffect(() => {
    if (!isWanted) return setLooked(null)
    let isOver = false
    void refetch().then(() => !isOver && setLooked(slug))
    return () => void (isOver = true)
  }, [isWanted, refetch, slug])
  return looked === slug
}

function NoOrganization({ slug }: { readonly slug: string }) {
  const me = useMe().data
  return (
    <Calm
      title={words.noOrganization}
      action={<Button onClick={() => void signOut()}>{words.switchAccount}</Button>}
    >
      <p>{words.noOrganizationText(slug, me?.email ?? '')}</p>
    </Calm>
  )
}

function WrongRole({ needs }: { readonly needs: OrganizationPermission }) {
  const { role } = useOrganization()
  const names = useNamesWith(needs)
  const who = formatList(rolesWith(needs).map((each) => words.many[each]))
  return (
    <Calm title={words.wrongRole}>
      <p>
        {words.only(who, roles.as[role])}{' '}
        {names.length > 0 && words.ask(formatList(names, 'disjunction'))}
      </p>
    </Calm>
  )
}

/** A page that only says why there is nothing here, and leads to one's organizations. */
function Calm({
  title,
  action,
  children,
}: {
  readonly title: string
  readonly action?: ReactNode
  readonly children: ReactNode
}) {
  const own = useOwnOrganizations().data?.data ?? []
  return (
    <Page title={title}>
      <section className="card">
        <div className="card-body">{children}</div>
        {own.length > 0 && (
          <ul className="entries" aria-label={words.own}>
            {own.map(({ slug, name }) => (
              <li key={slug}>
                <Link className="row-link cut" to="/o/$slug" params={{ slug }}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        )}
        {action !== undefined && <div className="card-body">{action}</div>}
      </section>
    </Page>
  )
}
