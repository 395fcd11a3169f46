import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { waitUntil } from '../figures/measure.ts'
import { freePort } from './free-port.ts'
import { killAtExit } from '../processes/kill-at-exit.ts'

const FOLDER = fileURLToPath(new URL('../../../.stack/localstripe/', import.meta.url))
const START_TIMEOUT_MS = 60_000

/** Its own command listens on all interfaces, and keeps its state in a file of all users. */
const PROGRAM = `
import sys
from aiohttp import web
from localstripe import resources, server
resources.Store.dump_to_disk = lambda store: None
web.run_app(server.app, host='127.0.0.1', port=int(sys.argv[1]), print=None)
`

/** Undefined if `stack/install-localstripe.sh` has not installed it. */
export async function startLocalstripe() {
  if (!existsSync(`${FOLDER}STAMP`)) return undefined
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const parameters = ['-c', PROGRAM, String(port)]
  const child = spawn(`${FOLDER}bin/python`, parameters, { stdio: 'ignore' })
  killAtExit(child)
  const exited = once(child, 'exit')
  const answers = async () => (await fetch(`${url}/`).catch(() => undefined)) !== undefined
  await waitUntil('localstripe to answer', answers, START_TIMEOUT_MS)
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
