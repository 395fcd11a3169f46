import type { IncomingMessage } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'
import type { Client } from './route.ts'

const USER_AGENT_LENGTH_MAX = 200

export function clientOf(
  request: IncomingMessage,
  trustedProxies: number,
  cookies: ReadonlyMap<string, string>,
  sessionHash: Buffer | null,
): Client {
  const { headers } = request
  return {
    userAgent: headers['user-agent']?.slice(0, USER_AGENT_LENGTH_MAX) ?? null,
    addressPrefix: prefixOf(forwardedFor(headers['x-forwarded-for'], trustedProxies)),
    peer: request.socket.remoteAddress ?? '',
    ifMatch: headers['if-match'] ?? null,
    sessionHash,
    cookies,
  }
}

/** Each proxy appends the address it saw, so only the last ones can be trusted. */
function forwardedFor(header: string | string[] | undefined, proxies: number): string | undefined {
  if (proxies === 0 || header === undefined) return undefined
  return String(header).split(',').at(-proxies)?.trim()
}

/** The network, /24 or /48: enough to recognise a place, too little to follow a person. */
function prefixOf(address: string | undefined): string | null {
  if (address === undefined) return null
  if (isIPv4(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`
  if (!isIPv6(address)) return null
  const [groups = ''] = address.split('::')
  return `${groups.split(':').slice(0, 3).join(':')}::/48`
}
