import type { Settings } from '../../use-case/environment.ts'

/** Why a sign-in with an identity provider failed, for the page that shows it. */
export type SsoFailure =
  /**
   * The answer is not one to this browser's request, came to the address of another connection, was
   * used before, or has expired.
   */
  | 'invalid'
  | 'email_unverified'
  /** The organization has not verified the domain of the address. */
  | 'domain_unverified'
  /** There is an account with this address that is not a member of the organization. */
  | 'not_a_member'
  | 'account_restricted'
  /** Another person signed in than the one to be confirmed. */
  | 'other_person'
  /** The browser has a session of another account, which stays. */
  | 'other_session'

export class SsoRefused extends Error {
  override readonly name = 'SsoRefused'
  readonly failure: SsoFailure

  constructor(failure: SsoFailure) {
    super(failure)
    this.failure = failure
  }
}

/** The browser shows no JSON, so failures end on the sign-in page. */
export function failedPath(failure: SsoFailure): string {
  return `/sign-in?sso_error=${failure}`
}

/** A path of the console below the path of its public address. */
export function pageOf({ console: { public_url: root } }: Settings, path: string): string {
  const { origin, pathname } = new URL(root)
  return `${origin}${pathname.endsWith('/') ? pathname.slice(0, -1) : pathname}${path}`
}
