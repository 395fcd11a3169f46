import { createHash } from 'node:crypto'

/** `__Host-` makes browsers insist on Secure, on Path=/ and on no Domain. */
const NAME = '__Host-headrace_session'
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax'
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** Replaces the cookie of the browser. The token is in no body, and only its hash is stored. */
export function sessionCookie(token: string): string {
  return `${NAME}=${token}; ${ATTRIBUTES}`
}

export const ENDED_SESSION_COOKIE = `${NAME}=; ${ATTRIBUTES}; Max-Age=0`

/** The hash of the session cookie; null if there is none, or nothing that could be one. */
export function readSessionHash(cookies: ReadonlyMap<string, string>): Buffer | null {
  const token = cookies.get(NAME)
  return token !== undefined && TOKEN.test(token) ? hashOf(token) : null
}

export function readCookies(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>()
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=')
    const name = part.slice(0, at).trim()
    // The first one counts: a cookie of a longer path cannot have the __Host- prefix.
    if (at > 0 && !cookies.has(name)) cookies.set(name, part.slice(at + 1).trim())
  }
  return cookies
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
