import { SSO_FLOW_MS } from '../sign-in/sso/sso-flow.ts'

/** Binds a sign-in at an identity provider to the browser that began it. */
const NAME = '__Host-headrace_sso'
/** Lax: the provider sends the browser back by a link or a redirect. */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax'

export function ssoCookie(token: string): string {
  return `${NAME}=${token}; ${ATTRIBUTES}; Max-Age=${SSO_FLOW_MS / 1000}`
}

export const ENDED_SSO_COOKIE = `${NAME}=; ${ATTRIBUTES}; Max-Age=0`

export function readSsoCookie(cookies: ReadonlyMap<string, string>): string | undefined {
  return cookies.get(NAME)
}
