import type { LinkProps } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Me } from '../api/routes.ts'
import { useApi } from '../api/use-api.ts'
import { goTo as words } from '../words/go-to.ts'
import { shell } from '../words/shell.ts'
import { useActions } from './actions.ts'
import { icons } from './icons.ts'
import { neededFor } from './needs.ts'
import { operatorIcons } from './operator-icons.ts'
import { useAccess, useOrganization, useOwnOrganizations } from './organization.tsx'
import { OF_ACCOUNT, OF_OPERATOR, OF_ORGANIZATION, OF_SETTINGS, type Place } from './places.ts'

/** Somewhere to go, or something to do. */
export type Destination = {
  readonly id: string
  readonly group: keyof typeof words.groups
  readonly label: string
  /** At the end of the line: where it belongs. */
  readonly more?: string
  readonly icon: LucideIcon
} & (
  | {
      readonly to: NonNullable<LinkProps['to']>
      readonly params?: Readonly<Record<string, string>>
      readonly search?: Readonly<Record<string, string>>
      readonly hash?: string
    }
  | { readonly act: () => void }
)

const FOUND_MAX = 5
const PROJECTS_READ = 100
const MEMBERS_READ = 100
const TYPING_PAUSE_MS = 150
const FRESH_MS = 60_000
const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** What a text leads to, in the order of the groups. */
export function useDestinations(me: Me, typed: string): Destination[] {
  const text = typed.trim()
  const { may } = useOrganization()
  const slug = useOpenSlug()
  const inOrganization = useInOrganization(text)
  const own = useOwnOrganizations().data?.data ?? []
  const isOperator = me.platform_role !== null
  const matches = matcherOf(text)
  const params = { slug }
  const actions = useActions(slug)
  const mayOpen = ([to]: Place) => {
    const needs = to === '/o/$slug/playground' ? 'playground:use' : neededFor(to)
    return needs === undefined || may(needs)
  }
  // Without a text only the pages of the sidebar are listed.
  const pages = text === '' ? OF_ORGANIZATION : [...OF_ORGANIZATION, ...OF_SETTINGS]
  const organizations = own
    .filter((each) => each.slug !== slug && (matches(each.name) || matches(each.slug)))
    .slice(0, FOUND_MAX)
  return [
    ...requestOf(text, slug, isOperator),
    ...(slug === '' ? [] : placesOf(pages.filter(mayOpen), 'pages', matches, params)),
    ...(text === '' ? [] : actions.filter(({ label }) => matches(label))),
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
    ...(text === '' ? [] : placesOf(OF_ACCOUNT, 'account', matches)),
    // Without a text they would be most of the list.
    ...(isOperator && (text !== '' || slug === '')
      ? placesOf(OF_OPERATOR, 'operator', matches)
      : []),
  ]
}

/** The organization in the address, unless it is closed to the person; then nothing. */
function useOpenSlug(): string {
  const { slug } = useOrganization()
  return useAccess() === 'none' ? '' : slug
}

function matcherOf(text: string): (label: string) => boolean {
  const lower = text.toLowerCase()
  return (label) => label.toLowerCase().includes(lower)
}

function placesOf(
  places: readonly Place[],
  group: Destination['group'],
  matches: (label: string) => boolean,
  params?: Readonly<Record<string, string>>,
): Destination[] {
  return places
    .filter(([, label, , partOf]) => matches(label) || (partOf !== undefined && matches(partOf)))
    .map(([to, label, icon, partOf]) => ({
      id: to,
      group,
      label,
      icon,
      to,
      ...(partOf !== undefined && { more: partOf }),
      ...(params !== undefined && { params }),
    }))
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

/** Keys by any part of their name, from the database; the others likewise, of the first page. */
function useInOrganization(text: string): Destination[] {
  const { path, may } = useOrganization()
  const slug = useOpenSlug()
  const name = useSettled(text)
  const isSearch = name !== '' && slug !== '' && !REQUEST_ID.test(name)
  const keys = useApi(
    'GET /organizations/{organization}/keys',
    { path, query: { q: name, limit: FOUND_MAX } },
    { enabled: isSearch && may('keys:read') },
  ).data
  const first = { enabled: isSearch, freshFor: FRESH_MS }
  const projects = useApi(
    'GET /organizations/{organization}/projects',
    { path, query: { limit: PROJECTS_READ } },
    first,
  ).data
  const models = useApi('GET /organizations/{organization}/models', { path }, first).data
  const members = useApi(
    'GET /organizations/{organization}/members',
    { path, query: { limit: MEMBERS_READ } },
    { ...first, enabled: isSearch && may('members:read') },
  ).data
  if (!isSearch || text === '') return []
  const matches = matcherOf(text)
  const params = { slug }
  return [
    ...(keys?.data ?? []).map((key): Destination => ({
      id: key.id,
      group: 'keys',
      label: key.name,
      more: key.project.name,
      icon: icons.keys,
      to: '/o/$slug/keys/$key',
      params: { slug, key: key.id },
    })),
    ...firstOf(projects?.data, (project) => matches(project.name)).map((project): Destination => ({
      id: project.id,
      group: 'projects',
      label: project.name,
      icon: icons.projects,
      to: '/o/$slug/projects/$project',
      params: { slug, project: project.id },
    })),
    ...firstOf(models?.data, (model) => matches(model.id)).map((model): Destination => ({
      id: `model-${model.id}`,
      group: 'models',
      label: model.id,
      icon: icons.models,
      to: '/o/$slug/models',
      params,
      search: { model: model.id },
    })),
    ...firstOf(members?.data, (member) => matches(member.name ?? '') || matches(member.email)).map(
      (member): Destination => ({
        id: member.id,
        group: 'members',
        label: member.name ?? member.email,
        ...(member.name !== null && { more: member.email }),
        icon: icons.members,
        to: '/o/$slug/members',
        params,
        hash: member.id,
      }),
    ),
  ]
}

function firstOf<Item>(
  items: readonly Item[] | undefined,
  isFound: (item: Item) => boolean,
): Item[] {
  return (items ?? []).filter(isFound).slice(0, FOUND_MAX)
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
