import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { waitUntil } from '../figures/measure.ts'

const PROGRAM = fileURLToPath(new URL('../../../.stack/stripe-mock', import.meta.url))
const START_TIMEOUT_MS = 60_000

/** Undefined if `stack/install-stripe-mock.sh` has not built it. */
export async function startStripeMock() {
  if (!existsSync(PROGRAM)) return undefined
  const [http, https] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${http}`
  const child = spawn(
    PROGRAM,
    [
      '-http-addr',
      `127.0.0.1:${http}`,
      '-https-addr',
      `127.0.0.1:${https}`,
      '-strict-version-check',
    ],
    { stdio: 'ignore' },
  )
  const answers = async () =>
    (await fetch(`${url}/v1/balance`).catch(() => undefined)) !== undefined
  await waitUntil('stripe-mock to answer', answers, START_TIMEOUT_MS)
  return {
    url,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.kill()
      await exited
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
