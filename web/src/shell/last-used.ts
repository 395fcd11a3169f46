// Which organization and project somebody used last in this browser. Ids and slugs are no secrets;
// what the person may not see any more is not found in their lists, and is ignored.

const ORGANIZATION = 'headrace.last-organization'
const PROJECT = 'headrace.last-project'

export function lastOrganization(): string | undefined {
  return read(ORGANIZATION)
}

export function rememberOrganization(slug: string): void {
  write(ORGANIZATION, slug)
}

export function lastProject(slug: string): string | undefined {
  return read(`${PROJECT}.${slug}`)
}

export function rememberProject(slug: string, id: string): void {
  write(`${PROJECT}.${slug}`, id)
}

/** A browser may refuse its storage; then the default is used. */
function read(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined
  } catch {
    return undefined
  }
}

function write(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    // Nothing is remembered.
  }
}
