import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigError } from '../config/load.ts'

/** Listens and returns the address in URL form. */
export async function listen(
  server: Server,
  port: number,
  host: string,
  reusePort = false,
): Promise<string> {
  server.listen({ port, host, reusePort })
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'EADDRINUSE' ? 'the port is in use' : cause.code
    throw new ConfigError([`cannot listen on ${host}:${port}: ${why}`])
  })
  const { address, family, port: bound } = server.address() as AddressInfo
  return `${family === 'IPv6' ? `[${address}]` : address}:${bound}`
}
