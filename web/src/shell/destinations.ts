import type { LinkProps } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Me } from '../api/routes.ts'
import { useApi } from '../api/use-api.ts'
import { goTo as words } from '../words/go-to.ts'
import { operatorPages } from '../words/operator-pages.ts'
import { shell } from '../words/shell.ts'
import { icons } from './icons.ts'
import { operatorIcons } from './operator-icons.ts'
import { useOrganization, useOwnOrganizations } from './organization.tsx'

/** Somewhere to go. */
export type Destination = {
  readonly id: string
  readonly group: keyof typeof words.groups
  readonly label: string
  /** At the end of the line: where it belongs. */
  readonly more?: string
  readonly icon: LucideIcon
  readonly to: NonNullable<LinkProps['to']>
  readonly params?: Readonly<Record<string, string>>
}

const { pages } = shell
const FOUND_MAX = 5
const PROJECTS_READ = 100
const TYPING_PAUSE_MS = 150
const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

type Place = readonly [LinkProps['to'], string, LucideIcon]

const OF_ORGANIZATION: readonly Place[] = [
  ['/o/$slug', pages.overview, icons.overview],
  ['/o/$slug/keys', pages.keys, icons.keys],
  ['/o/$slug/playground', pages.playground, icons.playground],
  ['/o/$slug/usage', pages.usage, icons.usage],
  ['/o/$slug/requests', pages.requests, icons.requests],
  ['/o/$slug/limits', pages.limits, icons.limits],
  ['/o/$slug/models', pages.models, icons.models],
  ['/o/$slug/billing', pages.billing, icons.billing],
  ['/o/$slug/projects', pages.projects, icons.projects],
  ['/o/$slug/members', pages.members, icons.members],
  ['/o/$slug/audit', pages.audit, icons.audit],
  ['/o/$slug/settings/general', pages.settings, icons.settings],
]

const OF_OPERATOR: readonly Place[] = [
  ['/operator', operatorPages.overview, icons.overview],
  ['/operator/waiting', operatorPages.waiting, operatorIcons.waiting],
  ['/operator/accounts', operatorPages.accounts, icons.members],
  ['/operator/organizations', operatorPages.organizations, operatorIcons.organizations],
  ['/operator/engines', operatorPages.engines, operatorIcons.engines],
  ['/operator/plans', operatorPages.plans, icons.models],
  ['/operator/configuration', operatorPages.configuration, icons.settings],
  ['/operator/books', operatorPages.books, operatorIcons.books],
  ['/operator/audit', operatorPages.audit, icons.audit],
]

/** What a text leads to, in the order of the groups. */
export function useDestinations(me: Me, typed: string): Destination[] {
  const text = typed.trim()
  const { slug } = useOrganization()
  const inOrganization = useInOrganization(text)
  const own = useOwnOrganizations().data?.data ?? []
  const isOperator = me.platform_role !== null
  const matches = matcherOf(text)
  const params = { slug }
  const organizations = own
    .filter((each) => each.slug !== slug && (matches(each.name) || matches(each.slug)))
    .slice(0, FOUND_MAX)
  return [
    ...requestOf(text, slug, isOperator),
    ...(slug === '' ? [] : placesOf(OF_ORGANIZATION, 'pages', matches, params)),
    ...inOrganization,
    ...organizations.map(({ slug: other, name }): Destination => ({
      id: `organization-${other}`,
      group: 'organizations',
      label: name,
      more: other,
      icon: operatorIcons.organizations,
      to: '/o/$slug',
      params: { slug: other },
    })),
    // Without a text they would be most of the list.
    ...(isOperator && (text !== '' || slug === '')
      ? placesOf(OF_OPERATOR, 'operator', matches)
      : []),
  ]
}

function matcherOf(text: string): (label: string) => boolean {
  const lower = text.toLowerCase()
  return (label) => label.toLowerCase().includes(lower)
}

function placesOf(
  places: readonly Place[],
  group: Destination['group'],
  matches: (label: string) => boolean,
  params?: Destination['params'],
): Destination[] {
  return places.flatMap(([to, label, icon]) =>
    to !== undefined && matches(label)
      ? [{ id: to, group, label, icon, to, ...(params !== undefined && { params }) }]
      : [],
  )
}

/** Any request id leads to its page, whatever is shown now. */
function requestOf(text: string, slug: string, isOperator: boolean): Destination[] {
  if (!REQUEST_ID.test(text)) return []
  const shared = { group: 'request', icon: icons.requests } as const
  const request = text.toLowerCase()
  const own: Destination = {
    ...shared,
    id: 'request',
    label: words.request(request),
    to: '/o/$slug/requests/$request',
    params: { slug, request },
  }
  const operators: Destination = {
    ...shared,
    id: 'operator-request',
    label: words.request(request),
    more: shell.operatorArea,
    to: '/operator/requests/$request',
    params: { request },
  }
  return [...(slug === '' ? [] : [own]), ...(isOperator ? [operators] : [])]
}

/** Keys by the beginning of their name, from the database; projects by any part of it. */
function useInOrganization(text: string): Destination[] {
  const { slug, path, may } = useOrganization()
  const name = useSettled(text)
  const isSearch = name !== '' && slug !== '' && !REQUEST_ID.test(name)
  const keys = useApi(
    'GET /organizations/{organization}/keys',
    { path, query: { name, limit: FOUND_MAX } },
    { enabled: isSearch && may('keys:read') },
  ).data
  const projects = useApi(
    'GET /organizations/{organization}/projects',
    { path, query: { limit: PROJECTS_READ } },
    { enabled: slug !== '' },
  ).data
  if (text === '' || slug === '') return []
  const matches = matcherOf(text)
  return [
    ...(isSearch ? (keys?.data ?? []) : []).map((key): Destination => ({
      id: key.id,
      group: 'keys',
      label: key.name,
      more: key.project.name,
      icon: icons.keys,
      to: '/o/$slug/keys/$key',
      params: { slug, key: key.id },
    })),
    ...(projects?.data ?? [])
      .filter((project) => matches(project.name))
      .slice(0, FOUND_MAX)
      .map((project): Destination => ({
        id: project.id,
        group: 'projects',
        label: project.name,
        icon: icons.projects,
        to: '/o/$slug/projects/$project',
        params: { slug, project: project.id },
      })),
  ]
}

/** The text after a pause in typing, so that not every letter is a call. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
