import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chooseFreePort } from '../stack/ports.ts'
import { installPython } from './install-python.ts'
import type { Target } from './load.ts'
import { startPinned, targetCpus, waitForPort, withChildren } from './processes.ts'

const VERSION = '1.106.2'
const PORT_FIRST = 22_100
/** It loads thousands of modules before it listens. */
const START_TIMEOUT_MS = 120_000
const KEY = 'sk-bench-1234'
const ENVIRONMENT = [
  'LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY=true',
  'LITELLM_LOCAL_MODEL_COST_MAP=True',
  'LITELLM_LOG=ERROR',
]

/** JSON is YAML. */
function configuration(enginePort: number, models: readonly string[]): string {
  const engine = { api_base: `http://127.0.0.1:${enginePort}/v1`, api_key: 'none' }
  return JSON.stringify({
    model_list: models.map((model) => ({
      model_name: model,
      litellm_params: { model: `openai/${model}`, ...engine },
    })),
    general_settings: { master_key: KEY },
  })
}

/** LiteLLM's proxy with one worker and one key, without a database. */
export async function startLitellm(
  folder: string,
  enginePort: number,
  models: readonly string[],
): Promise<Target & AsyncDisposable> {
  const programs = await installPython(folder, `litellm[proxy]==${VERSION}`)
  const port = await chooseFreePort(PORT_FIRST)
  const file = join(folder, 'litellm.yaml')
  await writeFile(file, configuration(enginePort, models))
  const options = ['--host', '127.0.0.1', '--port', `${port}`, '--num_workers', '1']
  const command = ['env', ...ENVIRONMENT, join(programs, 'litellm'), '--config', file, ...options]
  const running = startPinned(targetCpus(1), command, { cwd: folder })
  await waitForPort(port, running, START_TIMEOUT_MS)
  return {
    name: 'litellm',
    version: VERSION,
    port,
    path: '/v1/chat/completions',
    headers: [`authorization: Bearer ${KEY}`],
    pids: withChildren(running.pid),
    asksForCounts: false,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}
