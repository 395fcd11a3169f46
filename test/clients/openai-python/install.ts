import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const FOLDER = join(import.meta.dirname, '..', '.venv')
const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt')
const INSTALLED = join(FOLDER, 'installed.txt')

export const PYTHON = join(FOLDER, 'bin', 'python')

/** Creates a virtual environment with the pinned packages, unless it exists. */
export async function installPython(): Promise<void> {
  const wanted = readFileSync(REQUIREMENTS, 'utf8')
  if (readInstalled() === wanted) return
  rmSync(FOLDER, { recursive: true, force: true })
  await call('python3', ['-m', 'venv', FOLDER])
  await call(PYTHON, ['-m', 'pip', 'install', '--quiet', '--no-deps', '-r', REQUIREMENTS])
  // Written last, so that an interrupted install is repeated.
  writeFileSync(INSTALLED, wanted)
}

function readInstalled(): string | undefined {
  try {
    return readFileSync(INSTALLED, 'utf8')
  } catch {
    return undefined
  }
}

async function call(command: string, parameters: string[]): Promise<void> {
  try {
    await promisify(execFile)(command, parameters)
  } catch (cause) {
    throw new Error(
      `the Python client needs python3 with venv, and pip; '${command}': ${String(cause)}`,
      { cause },
    )
  }
}
