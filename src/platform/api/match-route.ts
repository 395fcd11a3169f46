import type { Method, Route } from './route.ts'

export type Match =
  | { readonly kind: 'found'; readonly route: Route; readonly path: Record<string, string> }
  | { readonly kind: 'wrong_method'; readonly allowed: readonly Method[] }
  | { readonly kind: 'unknown' }

type Compiled = { readonly route: Route; readonly segments: readonly string[] }

const PARAMETER = /^\{(\w+)\}$/

/** Finds the route of a path below the root. A literal segment comes before a parameter. */
export function createMatcher(routes: readonly Route[]): (method: string, path: string) => Match {
  const byLength = Map.groupBy(
    routes.map((route): Compiled => ({ route, segments: route.path.split('/').slice(1) })),
    ({ segments }) => segments.length,
  )
  return (method, path) => {
    const given = path.split('/').slice(1)
    const fitting = (byLength.get(given.length) ?? [])
      .filter(({ segments }) => fits(segments, given))
      .toSorted((one, other) => parametersOf(one) - parametersOf(other))
    const [nearest] = fitting
    if (nearest === undefined) return { kind: 'unknown' }
    const same = fitting.filter(({ route }) => route.path === nearest.route.path)
    const found = same.find(({ route }) => route.method === method)
    if (found === undefined)
      return { kind: 'wrong_method', allowed: same.map(({ route }) => route.method) }
    return { kind: 'found', route: found.route, path: readParameters(found.segments, given) }
  }
}

function fits(segments: readonly string[], given: readonly string[]): boolean {
  return segments.every((segment, index) =>
    PARAMETER.test(segment) ? given[index] !== '' : segment === given[index],
  )
}

function parametersOf({ segments }: Compiled): number {
  return segments.filter((segment) => PARAMETER.test(segment)).length
}

function readParameters(
  segments: readonly string[],
  given: readonly string[],
): Record<string, string> {
  const entries = segments.flatMap((segment, index): [string, string][] => {
    const parameter = PARAMETER.exec(segment)?.[1]
    return parameter === undefined ? [] : [[parameter, decode(given[index] ?? '')]]
  })
  return Object.fromEntries(entries)
}

/**
 * Decodes exactly once. The empty string, for invalid encoding, names nothing. PostgreSQL has no
 * NUL in texts.
 */
function decode(segment: string): string {
  try {
    const decoded = decodeURIComponent(segment)
    return decoded.includes('\0') ? '' : decoded
  } catch {
    return ''
  }
}
