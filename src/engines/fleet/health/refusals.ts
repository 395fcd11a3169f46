/** Valid requests that an engine refused since it last accepted one. */
export type Refusals = {
  /** Returns whether the engine may refuse everything. */
  add(organizationId: string): boolean
  /** It accepted a request. */
  passed(): void
}

/** So many organizations in a row, or requests of one, are a reason to check the engine. */
const ORGANIZATIONS_MIN = 2
const REQUESTS_MIN = 8

/**
 * A tenant can send what an engine refuses. While others are served that says nothing, and if
 * nobody else asks it leads to a check, which only the engine can fail.
 */
export function createRefusals(): Refusals {
  let organizations = new Set<string>()
  let count = 0
  return {
    add(organizationId) {
      count += 1
      if (organizations.size < ORGANIZATIONS_MIN) organizations.add(organizationId)
      return organizations.size >= ORGANIZATIONS_MIN || count >= REQUESTS_MIN
    },
    passed() {
      if (count === 0) return
      organizations = new Set()
      count = 0
    },
  }
}
