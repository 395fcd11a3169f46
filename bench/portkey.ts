import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chooseFreePort } from '../stack/ports.ts'
import type { Target } from './load.ts'
import { startPinned, targetCpus, waitForPort } from './processes.ts'

const run = promisify(execFile)
const PORT_FIRST = 21_900
const VERSION = '1.15.2'
const PACKAGE = '@portkey-ai/gateway'
/**
 * Its package takes any newer server underneath, and with the newest it fails every stream. This
 * is one that it works with.
 */
const MANIFEST = {
  private: true,
  dependencies: { [PACKAGE]: VERSION },
  overrides: { '@hono/node-server': '1.13.8' },
}

/** Into a folder of its own: it is no dependency of ours. */
async function installPortkey(folder: string): Promise<string> {
  const program = join(folder, 'node_modules', PACKAGE, 'build', 'start-server.js')
  if (existsSync(program)) return program
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify(MANIFEST))
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', ['install', ...flags], { cwd: folder })
  return program
}

export async function startPortkey(
  folder: string,
  enginePort: number,
): Promise<Target & AsyncDisposable> {
  const program = await installPortkey(folder)
  const port = await chooseFreePort(PORT_FIRST)
  const command = [process.execPath, program, '--headless', `--port=${port}`]
  const running = startPinned(targetCpus(1), command, { cwd: folder })
  await waitForPort(port, running)
  return {
    name: 'portkey',
    version: VERSION,
    port,
    path: '/v1/chat/completions',
    headers: [
      'authorization: Bearer none',
      'x-portkey-provider: openai',
      `x-portkey-custom-host: http://127.0.0.1:${enginePort}/v1`,
    ],
    pids: [running.pid],
    asksForCounts: false,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}
