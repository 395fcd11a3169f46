// Makes the files of a release in package/out/release/ and tests them: see README.md.
//   npm run release -- --dry-run       what can be done on any machine; publishes nothing
//   npm run release -- --tag v1.2.3    the same for a tag, which the release workflow publishes
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { checkVersion } from './check-version.ts'
import { billName, deployName, docsName, tarballName } from './release-files.ts'
import { signChecksums } from './sign-checksums.ts'
import { writeNotes } from './write-notes.ts'

const ROOT = resolve(import.meta.dirname, '..')
const OUT = join(import.meta.dirname, 'out')
const FILES = join(OUT, 'release')
const CHART = join(ROOT, 'deploy/chart/headrace')
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024

/** Needs accounts, keys or machines that only the public CI host has. */
const ELSEWHERE = [
  'image for amd64 and arm64 from the tarball, on a base whose signature is verified',
  'Debian package for arm64',
  'vulnerability scan of the image and of the lock file',
  'cosign signatures of the image with its SBOM, of the chart and of every file',
  'npm publish with provenance',
  'chart with the digest of the image, pushed to the registry',
  'release page with the notes and the digest of the image',
]

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    tag: { type: 'string' },
    /** Goes into package.json: npm compares it with the provenance. */
    repository: { type: 'string' },
    /** An Ed25519 key in PEM; a dry run without one signs with a key that it throws away. */
    'signing-key': { type: 'string' },
  },
})
if (values['dry-run'] === (values.tag !== undefined))
  throw new Error('specify either --dry-run or --tag; only the release workflow publishes')

const version = step('version', () => checkVersion(ROOT, values.tag))
const tarball = step('pack', pack)
step('install test', () => testTarball(tarball))
step('sbom', () => writeBillOfMaterials())
step('Debian package', () => run(join(ROOT, 'package/build-deb.sh'), [tarball, FILES]))
step('documentation', packDocs)
step('deployment files', packDeploy)
step('chart', packChart)
step('checksums', writeChecksums)
step('signature', signFiles)
step('notes', () => {
  const release = { root: ROOT, version, isDryRun: values['dry-run'] }
  writeFileSync(join(OUT, 'notes.md'), writeNotes(release))
  return join(OUT, 'notes.md')
})
for (const name of ELSEWHERE) console.log(`only on the public CI host: ${name}`)

/** Prints the last line of what a step returns; the first that throws ends the release. */
function step(name: string, make: () => string): string {
  console.log(`== ${name}`)
  const result = make()
  console.log(result.trim().split('\n').at(-1))
  return result
}

/** The one build: every other file of the release is made from this tarball. */
function pack(): string {
  const repository = values.repository === undefined ? [] : ['--repository', values.repository]
  const build = ['--disable-warning=ExperimentalWarning', 'package/build.ts', '--fresh']
  run(process.execPath, [...build, ...repository])
  mkdirSync(FILES)
  const name = tarballName(version)
  copyFileSync(join(OUT, name), join(FILES, name))
  return join(FILES, name)
}

function testTarball(path: string): string {
  return run('npm', ['run', '--silent', 'prove', '--', 'package', '--tarball', path])
}

/** CycloneDX of what the tarball contains, without the number and time that differ each run. */
function writeBillOfMaterials(): string {
  const folder = join(OUT, 'package')
  const text = run('npm', ['sbom', '--sbom-format', 'cyclonedx'], folder)
  const {
    serialNumber: _,
    metadata,
    ...bill
  } = JSON.parse(text) as {
    serialNumber: string
    metadata: { timestamp?: string }
    components: readonly object[]
  }
  const { timestamp: __, ...facts } = metadata
  const path = join(FILES, billName(version))
  writeFileSync(path, `${JSON.stringify({ ...bill, metadata: facts }, null, 2)}\n`)
  return `${bill.components.length} components`
}

/** The documentation site, as `headrace console` serves it. */
function packDocs(): string {
  run('npm', ['ci', '--ignore-scripts', '--silent', '--prefix', 'site'])
  run(process.execPath, ['site/build.ts'])
  return makeArchive(docsName(version), ['--directory', 'site/dist', '.'])
}

/** Under the paths of a clone, so that the guides are the same for both. */
function packDeploy(): string {
  const sources = ['deploy', 'package/find-node.sh', 'package/node.sha256']
  const files = run('git', ['ls-files', '--', ...sources])
    .trim()
    .split('\n')
  return makeArchive(
    deployName(version),
    files.filter((path) => !path.endsWith('.ts')),
  )
}

/** The same files give the same bytes. */
function makeArchive(name: string, files: readonly string[]): string {
  const path = join(FILES, name)
  const same = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner']
  run('tar', ['--create', '--gzip', ...same, '--file', path, ...files])
  return path
}

function packChart(): string {
  if (!existsSync(CHART)) return 'there is no chart'
  try {
    // Apart: its file has the same name as the npm tarball.
    return run('helm', ['package', CHART, '--destination', join(OUT, 'chart')])
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!isMissing || !values['dry-run']) throw error
    return 'not possible here: helm is not installed'
  }
}

function writeChecksums(): string {
  const names = readdirSync(FILES).toSorted()
  const checksums = run('sha256sum', ['--', ...names], FILES)
  writeFileSync(join(FILES, 'SHA256SUMS'), checksums)
  return checksums
}

/** The release workflow signs what it publishes itself, without a key that could be stolen. */
function signFiles(): string {
  const key = values['signing-key']
  if (key === undefined && !values['dry-run']) return 'left to the release workflow'
  const { publicKey } = signChecksums(FILES, key)
  const path = join(OUT, 'release.pub')
  writeFileSync(path, publicKey)
  return `${join(FILES, 'SHA256SUMS.sig')}, to be verified with ${path}`
}

function run(command: string, args: readonly string[], cwd: string = ROOT): string {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
