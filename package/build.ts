// Builds the npm package in package/out/ and packs it: headrace-VERSION.tgz. See README.md.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isOlder } from '../src/start/build-web.ts'
import { listContents } from './list-contents.ts'
import { stripTypes } from './strip-types.ts'
import { MAIN, writeManifest } from './write-manifest.ts'

const ROOT = resolve(import.meta.dirname, '..')

const { values } = parseArgs({
  options: {
    /** Where the package is written. */
    out: { type: 'string' },
    /** Builds the web app even if it is up to date. */
    fresh: { type: 'boolean', default: false },
    /** URL of the sources; npm compares it with the provenance of a release. */
    repository: { type: 'string' },
  },
})
buildWeb()
const tarball = pack(resolve(values.out ?? join(import.meta.dirname, 'out')))
const digest = createHash('sha256').update(readFileSync(tarball)).digest('hex')
console.log(`${digest}  ${tarball}`)

function buildWeb(): void {
  if (!values.fresh && !isOlder(join(ROOT, 'web'))) return
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' })
}

/** Writes the unpacked package, as npm installs it. */
function writePackage(folder: string): void {
  for (const { path, source } of listContents(ROOT)) {
    const bytes = readFileSync(join(ROOT, source))
    const target = join(folder, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, isModule(source) ? stripTypes(source, bytes.toString()) : bytes)
  }
  chmodSync(join(folder, MAIN), 0o755)
  writeManifest(ROOT, folder, values.repository)
}

function isModule(source: string): boolean {
  return source.startsWith('src/') && source.endsWith('.ts')
}

/** npm sorts the files and gives each the same time, so that one source has one checksum. */
function pack(out: string): string {
  rmSync(out, { recursive: true, force: true })
  const folder = join(out, 'package')
  writePackage(folder)
  const options = ['--silent', '--ignore-scripts', '--pack-destination', out]
  const name = execFileSync('npm', ['pack', ...options], { cwd: folder, encoding: 'utf8' }).trim()
  return join(out, name)
}
