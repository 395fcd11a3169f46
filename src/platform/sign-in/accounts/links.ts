import { HOUR_MS } from '../../../lib/time.ts'
import type { Settings } from '../../use-case/environment.ts'

/** How long the links of emails work; invitations last longer. */
const LINK_HOURS = 24

export function linkEndsAt(nowMs: number = Date.now()): Date {
  return new Date(nowMs + LINK_HOURS * HOUR_MS)
}

type Page = 'sign-up' | 'verify' | 'reset' | 'join' | 'sign-in' | 'explained'

/** The token is in the fragment: it is in no log of a server and in no Referer. */
export function linkWithToken(
  settings: Pick<Settings, 'console'>,
  page: Page,
  token: string,
  /** The token of an invitation that the page goes on to. */
  invitation?: string,
) {
  const link = `${pageAddress(settings, page)}#token=${token}`
  return invitation === undefined ? link : `${link}&invitation=${invitation}`
}

export function pageAddress(
  { console: { public_url: root } }: Pick<Settings, 'console'>,
  page: string,
) {
  return `${root.endsWith('/') ? root.slice(0, -1) : root}/${page}`
}
