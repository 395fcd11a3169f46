import type { IncomingMessage } from 'node:http'

/**
 * The address of the client as it was written. Each proxy appends the address it saw, so only the
 * last ones can be trusted. A request with fewer addresses did not pass all proxies: what it says
 * is not believed.
 */
export function clientAddress(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: number,
): string {
  const address = trustedProxies === 0 ? undefined : forwardedFor(headers).at(-trustedProxies)
  return address ?? socket.remoteAddress ?? ''
}

export function forwardedFor(headers: IncomingMessage['headers']): string[] {
  const header = headers['x-forwarded-for']
  return header === undefined ? [] : String(header).split(',')
}
