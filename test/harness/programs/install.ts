import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

/** How a program is installed into a folder of its own. */
export type Install = {
  /** All that decides what gets installed: when it changes, the program is installed again. */
  readonly wanted: string
  readonly run: (folder: string) => Promise<void>
}

const PROGRAMS = resolve(import.meta.dirname, '..', '..', '..', '.stack', 'programs')
const UV_FOLDER = join(PROGRAMS, 'uv')
const UV = join(UV_FOLDER, 'bin', 'uv')
const UV_VERSION = '0.13.8'
const INSTALL_LIMIT_MS = 900_000

export function folderOf(key: string): string {
  return join(PROGRAMS, key)
}

/** Installs a program unless it is there in the wanted version. */
export async function installProgram(key: string, { wanted, run }: Install): Promise<void> {
  const folder = folderOf(key)
  const installed = join(folder, 'installed.txt')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await run(folder)
  // Written last, so that an interrupted install is repeated.
  writeFileSync(installed, wanted)
}

/** Pinned packages in a virtual environment: programs are in `bin` of the folder. */
export function pythonPackages(...packages: readonly string[]): Install {
  return {
    wanted: packages.join('\n'),
    async run(folder) {
      await installUv()
      await call(UV, ['venv', '--quiet', '--clear', folder])
      const python = join(folder, 'bin', 'python')
      await call(UV, ['pip', 'install', '--quiet', '--python', python, ...packages])
    },
  }
}

/** Pinned packages in `node_modules` of the folder, without their install scripts. */
export function npmPackages(...packages: readonly string[]): Install {
  return {
    wanted: packages.join('\n'),
    async run(folder) {
      writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
      const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent', '--save-exact']
      await call('npm', ['install', ...options, '--prefix', folder, ...packages])
    },
  }
}

async function installUv(): Promise<void> {
  const installed = join(UV_FOLDER, 'installed.txt')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === UV_VERSION) return
  await call('python3', ['-m', 'venv', '--clear', UV_FOLDER])
  const pip = ['-m', 'pip', 'install', '--quiet', `uv==${UV_VERSION}`]
  await call(join(UV_FOLDER, 'bin', 'python'), pip)
  writeFileSync(installed, UV_VERSION)
}

/** Runs a command of an install to its end. */
export async function call(file: string, parameters: readonly string[], cwd?: string) {
  await promisify(execFile)(file, parameters, { cwd, timeout: INSTALL_LIMIT_MS })
}
