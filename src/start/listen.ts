import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OperatorError } from '../lib/operator-error.ts'

/**
 * Listens and returns the address in URL form. A port that is in use is no invalid configuration:
 * the process exits with 1, and a supervisor starts it again until the port is free.
 */
export async function listen(
  server: Server,
  port: number,
  host: string,
  reusePort = false,
): Promise<string> {
  server.listen({ port, host, reusePort })
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const isUsed = cause.code === 'EADDRINUSE'
    const why = isUsed ? 'the port is in use; stop what uses it, or set another port' : cause.code
    throw new OperatorError(`cannot listen on ${host}:${port}: ${why}`, { cause })
  })
  const { address, family, port: bound } = server.address() as AddressInfo
  return `${family === 'IPv6' ? `[${address}]` : address}:${bound}`
}
