import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Manifest = {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly engines: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
}

/** The command of the package. */
export const MAIN = 'dist/main.js'

/** Writes the package's own package.json: no scripts, and the dependencies come with it. */
export function writeManifest(root: string, folder: string, repository: string | undefined): void {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const { name, version, description, license, engines, dependencies } = manifest
  const published = {
    name,
    version,
    description,
    license,
    ...(repository !== undefined && { repository: { type: 'git', url: repository } }),
    type: 'module',
    bin: { [name]: MAIN },
    files: ['dist', 'migrations', 'web/dist', 'docs', 'headrace.yaml'],
    engines,
    dependencies,
    bundleDependencies: Object.keys(dependencies),
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
}
