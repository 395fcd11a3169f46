import type { IncomingMessage } from 'node:http'
import { clientAddress, forwardedFor } from '../../http/client-address.ts'
import { readAddress } from '../../lib/addresses/networks.ts'
import { readDeviceTokens } from './device-cookie.ts'
import { networkOfAddress } from './network-of-address.ts'
import type { Client } from './route.ts'

const USER_AGENT_LENGTH_MAX = 200

export function clientOf(
  request: IncomingMessage,
  trustedProxies: number,
  cookies: ReadonlyMap<string, string>,
  sessionHash: Buffer | null,
): Client {
  const { headers } = request
  const written = clientAddress(request, trustedProxies)
  return {
    userAgent: headers['user-agent']?.slice(0, USER_AGENT_LENGTH_MAX) ?? null,
    address: readAddress(written),
    addressPrefix: networkOfAddress(written),
    behindUnknownProxy: trustedProxies === 0 && forwardedFor(headers).length > 0,
    ifMatch: headers['if-match'] ?? null,
    sessionHash,
    cookies,
    deviceTokens: readDeviceTokens(cookies),
  }
}
