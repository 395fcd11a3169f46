import { oneOf, present, textOf, type RawSearch } from '../../shell/search.ts'

const SSO_ERRORS = [
  'invalid',
  'email_unverified',
  'domain_unverified',
  'not_a_member',
  'account_restricted',
  'other_person',
  'other_session',
] as const

export function readEntrySearch(search: RawSearch) {
  return present({
    to: textOf(search['to']),
    /** Why the way back from an identity provider ended here. */
    sso_error: oneOf(search['sso_error'], SSO_ERRORS),
    /** There is a session that lacks its second factor. */
    step: oneOf(search['step'], ['factor']),
  })
}
