import { join } from 'node:path'
import { chooseFreePort } from '../stack/ports.ts'
import { installPython } from './install-python.ts'
import type { Target } from './load.ts'
import { startPinned, targetCpus, waitForPort, withChildren } from './processes.ts'

const VERSION = '0.3.2'
const PORT_FIRST = 22_000
/** It registers the engine before it listens. */
const START_TIMEOUT_MS = 60_000

/**
 * A router in Rust that follows prefixes, with one engine. It runs inside Python's process and has
 * as many threads as it may use processors.
 */
export async function startSglangRouter(
  folder: string,
  enginePort: number,
  threads = 1,
): Promise<Target & AsyncDisposable> {
  const programs = await installPython(folder, `sglang-router==${VERSION}`)
  const port = await chooseFreePort(PORT_FIRST)
  const metricsPort = await chooseFreePort(port + 1)
  const module = ['-m', 'sglang_router.launch_router', '--policy', 'cache_aware']
  const http = ['--host', '127.0.0.1', '--port', `${port}`]
  const metrics = ['--prometheus-host', '127.0.0.1', '--prometheus-port', `${metricsPort}`]
  const engine = ['--worker-urls', `http://127.0.0.1:${enginePort}`, '--log-level', 'error']
  const command = [join(programs, 'python'), ...module, ...http, ...metrics, ...engine]
  const running = startPinned(targetCpus(threads), command, { cwd: folder })
  await waitForPort(port, running, START_TIMEOUT_MS)
  return {
    name: 'sglang-router',
    version: VERSION,
    port,
    path: '/v1/chat/completions',
    headers: [],
    pids: withChildren(running.pid),
    asksForCounts: false,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}
