import type { ScimQuery } from '../../contract/scim/requests.ts'
import type { ScimResource } from '../../contract/scim/resources.ts'
import type { ScimPage } from '../../store/people/scim-users.ts'

/** Resources of one answer. */
export const RESULTS_MAX = 100

/** What is too small or too large is taken for the smallest or the largest, as RFC 7644 says. */
export function readScimPage(
  { startIndex = 1, count = RESULTS_MAX }: ScimQuery,
  resultsMax: number,
): { readonly startIndex: number; readonly page: ScimPage } {
  const first = Math.max(1, Math.min(startIndex, 2 ** 31))
  const limit = Math.max(0, Math.min(count, resultsMax))
  return { startIndex: first, page: { offset: first - 1, limit } }
}

/** What every answer has, whatever is asked for. */
const ALWAYS = ['schemas', 'id', 'meta']

/** Only the attributes that a query asks for, or all but those that it does not want. */
export function chooseAttributes(resource: ScimResource, query: ScimQuery): object {
  const { attributes, excludedAttributes } = query
  const isShown = (name: string) => {
    if (ALWAYS.includes(name)) return true
    if (attributes !== undefined) return namesOf(attributes).includes(name.toLowerCase())
    return !namesOf(excludedAttributes ?? '').includes(name.toLowerCase())
  }
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isShown(name)))
}

/** Whether the answer has the attribute, so that it need not be read otherwise. */
export function wants({ attributes, excludedAttributes }: ScimQuery, name: string): boolean {
  if (attributes !== undefined) return namesOf(attributes).includes(name)
  return !namesOf(excludedAttributes ?? '').includes(name)
}

/** The first part of each: `name` of `name.givenName`, without the URN of a schema. */
function namesOf(list: string): string[] {
  return list
    .split(',')
    .map(
      (path) =>
        path
          .trim()
          .toLowerCase()
          .replace(/^urn:.*:/, '')
          .split('.')[0] ?? '',
    )
    .filter((name) => name !== '')
}
