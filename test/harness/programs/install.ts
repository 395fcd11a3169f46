import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { call, installUv } from '../../../stack/engines/uv.ts'

/** How a program is installed into a folder of its own. */
export type Install = {
  /** All that decides what gets installed: when it changes, the program is installed again. */
  readonly wanted: string
  readonly run: (folder: string) => Promise<void>
}

const PROGRAMS = resolve(import.meta.dirname, '..', '..', '..', '.stack', 'programs')

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
      const uv = await installUv()
      await call(uv, ['venv', '--quiet', '--clear', folder])
      const python = join(folder, 'bin', 'python')
      await call(uv, ['pip', 'install', '--quiet', '--python', python, ...packages])
    },
  }
}

/** The packages of a file with all of them, each with its hashes, in a virtual environment. */
export function pythonRequirements(file: string): Install {
  return {
    wanted: readFileSync(file, 'utf8'),
    async run(folder) {
      await call('python3', ['-m', 'venv', '--clear', folder])
      const pip = ['-m', 'pip', 'install', '--quiet', '--require-hashes', '--requirement', file]
      await call(join(folder, 'bin', 'python'), pip)
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
