import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { stackFolder } from '../state.ts'

const FOLDER = join(stackFolder, 'uv')
const LOCK = join(import.meta.dirname, 'uv.txt')
const LIMIT_MS = 900_000

/** Installs uv, which installs Python packages quickly, once; returns the path of the program. */
export async function installUv(): Promise<string> {
  const program = join(FOLDER, 'bin', 'uv')
  const stamp = join(FOLDER, 'STAMP')
  const wanted = readFileSync(LOCK, 'utf8')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return program
  mkdirSync(stackFolder, { recursive: true })
  await call('python3', ['-m', 'venv', '--clear', FOLDER])
  const pip = ['-m', 'pip', 'install', '--quiet', '--require-hashes', '-r', LOCK]
  await call(join(FOLDER, 'bin', 'python'), pip)
  // Written last, so that an interrupted installation is repeated.
  writeFileSync(stamp, wanted)
  return program
}

/** Runs a command of an installation to its end. */
export async function call(file: string, parameters: readonly string[], cwd?: string) {
  // Gigabytes are downloaded: a cut connection is tried again.
  const env = { ...process.env, UV_HTTP_RETRIES: '10', UV_HTTP_TIMEOUT: '120' }
  await promisify(execFile)(file, parameters, { cwd, env, timeout: LIMIT_MS })
}
