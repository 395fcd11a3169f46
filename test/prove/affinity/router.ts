import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { NotPossibleHere } from '../../harness/proof.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { chooseFreePort } from '../../../stack/ports.ts'
import { measureEngines } from './engines.ts'
import type { Workload } from './converse.ts'
import { killAtExit } from '../../harness/processes/kill-at-exit.ts'

const START_TIMEOUT_MS = 60_000
const PORT_FIRST = 25_000
const PORTS = 1_000

/** sglang-router in front of these engines, with the policy that follows prefixes. */
async function startRouter(python: string, urls: readonly string[]) {
  const port = await chooseFreePort(PORT_FIRST + Math.floor(Math.random() * PORTS))
  const metricsPort = await chooseFreePort(port + 1)
  const module = ['-m', 'sglang_router.launch_router', '--policy', 'cache_aware']
  const http = ['--host', '127.0.0.1', '--port', `${port}`, '--prometheus-port', `${metricsPort}`]
  const workers = ['--log-level', 'warn', '--worker-urls', ...urls]
  const child = spawn(python, [...module, ...http, ...workers], { stdio: 'ignore' })
  killAtExit(child)
  const url = `http://127.0.0.1:${port}`
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(`sglang-router ended: ${child.exitCode}`)
    return fetch(`${url}/readiness`).then(
      ({ ok }) => ok,
      () => false,
    )
  }
  await waitUntil('sglang-router to be ready', isReady, START_TIMEOUT_MS)
  return {
    url,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The same conversations through sglang-router. */
export async function measureRouter(python: string, seed: number, workload: Workload) {
  if (!existsSync(python)) throw new NotPossibleHere(`there is no ${python} with sglang-router`)
  return measureEngines(seed, workload, async (urls, starting) => {
    const { url } = starting.use(await startRouter(python, urls))
    return () => ({ url })
  })
}
