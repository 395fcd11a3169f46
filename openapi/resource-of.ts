import type { Route } from '../src/platform/api/route.ts'

/** What a route is about: the last literal segment that is not an action on one thing. */
export function resourceOf({ path }: Pick<Route, 'path'>): string {
  const [first = '', ...rest] = path.split('/').slice(1)
  const segments = first === 'organizations' ? rest.slice(1) : rest
  const literal = segments.find((segment) => !segment.startsWith('{'))
  if (first === 'organizations') return literal ?? first
  return first === 'operator' ? `operator ${literal ?? ''}` : first
}

/** The resource as a heading and as the tag of its operations. */
export function titleOf(resource: string): string {
  const text = resource.replaceAll('-', ' ').replace(/sso|scim/, (name) => name.toUpperCase())
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
