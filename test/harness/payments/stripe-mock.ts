import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { waitUntil } from '../figures/measure.ts'
import { freePort } from './free-port.ts'
import { killAtExit } from '../processes/kill-at-exit.ts'

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
  killAtExit(child)
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
