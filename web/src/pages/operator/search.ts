import { oneOf, present, readSorting, textOf, type RawSearch } from '../../shell/search.ts'
import { readAuditSearch } from '../audit/search.ts'

export const ACCOUNT_STATES = ['waiting', 'active', 'restricted'] as const
export const PLATFORM_ROLES = ['support', 'operator'] as const

export function readAccountsSearch(search: RawSearch) {
  return present({
    q: textOf(search['q']),
    state: oneOf(search['state'], ACCOUNT_STATES),
    role: oneOf(search['role'], PLATFORM_ROLES),
  })
}

export function readOrganizationsSearch(search: RawSearch) {
  return present({ q: textOf(search['q']), ...readSorting(search, ['name', 'plan']) })
}
export type OrganizationsSearch = ReturnType<typeof readOrganizationsSearch>

export function readOperatorAuditSearch(search: RawSearch) {
  return present({ organization: textOf(search['organization']), ...readAuditSearch(search) })
}
export type OperatorAuditSearch = ReturnType<typeof readOperatorAuditSearch>

export function readLedgerSearch(search: RawSearch) {
  return present({ show: oneOf(search['show'], ['differing']) })
}

/** A refusal is found only within its organization. */
export function readOperatorRequestSearch(search: RawSearch) {
  return present({ organization: textOf(search['organization']) })
}

/** Things of one organization, or of all. */
export function readOrganizationFilter(search: RawSearch) {
  return present({ organization: textOf(search['organization']) })
}
