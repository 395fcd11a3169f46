import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Locked = {
  readonly version: string
  readonly dev?: true
  readonly devOptional?: true
  readonly link?: true
  readonly hasInstallScript?: true
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}

/** Folders of the packages that the service needs at run time, as the lock file lists them. */
export function listDependencies(root: string): string[] {
  const { packages } = readJson(join(root, 'package-lock.json')) as {
    packages: Readonly<Record<string, Locked>>
  }
  return Object.entries(packages)
    .filter(([path, locked]) => path.startsWith('node_modules/') && isNeeded(locked))
    .map(([path, locked]) => {
      checkPortable(path, locked)
      const { version } = readJson(join(root, path, 'package.json')) as { version: string }
      if (version !== locked.version)
        throw new Error(`${path} is ${version}, but locked as ${locked.version}: run npm ci`)
      return path
    })
}

function isNeeded({ dev, devOptional, link }: Locked): boolean {
  return !dev && !devOptional && !link
}

/** One package for every machine has no compiled code in it. */
function checkPortable(path: string, { hasInstallScript, os, cpu }: Locked): void {
  if (hasInstallScript) throw new Error(`${path} runs a script when it is installed`)
  if (os !== undefined || cpu !== undefined) throw new Error(`${path} is for one platform only`)
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}
