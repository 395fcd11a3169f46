import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Versions = Readonly<Record<string, string>>

type Manifest = {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly engines: Versions
  readonly dependencies: Versions
}

type LockedPackage = {
  readonly version: string
  readonly integrity?: string
  readonly dev?: true
  readonly devOptional?: true
  readonly link?: true
  readonly hasInstallScript?: true
}

const BIN = { headrace: 'dist/main.js' }
const FILES = ['dist', 'migrations', 'web/dist', 'headrace.yaml', 'npm-shrinkwrap.json']

/** Writes the package's own package.json, and npm-shrinkwrap.json from the lock file. */
export function writeManifests(root: string, folder: string): void {
  const manifest = readJson(join(root, 'package.json')) as Manifest
  const { name, version, description, license, engines, dependencies } = manifest
  const facts = { name, version, license, bin: BIN, engines, dependencies }
  writeJson(join(folder, 'package.json'), {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: BIN,
    files: FILES,
    engines,
    dependencies,
  })
  const lock = readJson(join(root, 'package-lock.json')) as {
    readonly lockfileVersion: number
    readonly packages: Readonly<Record<string, LockedPackage>>
  }
  // npm installs exactly what a published package's npm-shrinkwrap.json says.
  writeJson(join(folder, 'npm-shrinkwrap.json'), {
    name,
    version,
    lockfileVersion: lock.lockfileVersion,
    requires: true,
    packages: { '': facts, ...production(lock.packages, dependencies) },
  })
}

/** The locked packages that the service needs at run time. */
function production(
  packages: Readonly<Record<string, LockedPackage>>,
  dependencies: Versions,
): Readonly<Record<string, LockedPackage>> {
  const kept = Object.fromEntries(
    Object.entries(packages).filter(
      ([path, { dev, devOptional, link }]) =>
        path.startsWith('node_modules/') && !dev && !devOptional && !link,
    ),
  )
  for (const [path, { integrity, hasInstallScript }] of Object.entries(kept)) {
    if (integrity === undefined) throw new Error(`${path} has no checksum in package-lock.json`)
    if (hasInstallScript) throw new Error(`${path} runs a script when it is installed`)
  }
  for (const [name, version] of Object.entries(dependencies)) {
    const locked = kept[`node_modules/${name}`]?.version
    if (locked !== version) throw new Error(`${name} is ${version}, but locked as ${locked}`)
  }
  return kept
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}
