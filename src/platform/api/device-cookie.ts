import { DEVICE_LIFE_MS } from '../sign-in/identity/device-token.ts'
import { DEVICES_MAX } from '../sign-in/sessions/known-device.ts'

/** Says that an account has signed in with this browser. It opens nothing. */
const NAME = '__Host-headrace_device'
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax'
const TOKEN = /^[A-Za-z0-9_-]{100,300}$/

/** One token for each account that uses the browser. None leaves the cookie as it is. */
export function deviceCookies(tokens: readonly string[] | null): string[] {
  if (tokens === null) return []
  return [`${NAME}=${tokens.join('.')}; ${ATTRIBUTES}; Max-Age=${DEVICE_LIFE_MS / 1000}`]
}

export function readDeviceTokens(cookies: ReadonlyMap<string, string>): string[] {
  const tokens = cookies.get(NAME)?.split('.', DEVICES_MAX) ?? []
  return tokens.filter((token) => TOKEN.test(token))
}
