import { once } from 'node:events'
import { createServer } from 'node:net'

/** Start of the ephemeral range, from which the kernel takes ports for outgoing connections. */
const FIRST_EPHEMERAL_PORT = 32_768
const TRIES = 100

/** The wanted port, or the next free one above it. */
export async function chooseFreePort(wanted: number): Promise<number> {
  const end = Math.min(wanted + TRIES, FIRST_EPHEMERAL_PORT)
  for (let port = wanted; port < end; port++) {
    if (await isFree(port)) return port
  }
  throw new Error(`no free port from ${wanted} to ${end - 1}`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
