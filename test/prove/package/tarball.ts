import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../../..')
const LISTING_BYTES_MAX = 16 * 1024 * 1024

/** What may be in the tarball, apart from its dependencies. */
const EXPECTED = [
  /^(package\.json|README\.md|LICENSE|headrace\.yaml)$/,
  /^dist\/[a-z\d/-]+\.(js|lua)$/,
  /^dist\/platform\/sign-in\/identity\/common-passwords\.txt$/,
  /^migrations\/[\da-z-]+\.sql$/,
  /^docs\/((install|migrate|operating|start)\/)?[A-Za-z-]+\.md$/,
  /^web\/dist\/(index(\.(de|zh-CN))?\.html|favicon\.(svg|ico))$/,
  /^web\/dist\/assets\/[\w-]+(\.module-[\w-]+)?\.(js|css|svg)(\.br|\.gz)?$/,
  /^web\/dist\/assets\/[\w-]+\.woff2$/,
]
/** Sources, types, and what only a debugger reads. */
const REFUSED = /\.([cm]?ts|tsx|map)$|(^|\/)\.|^dist\/.*\.test\./

export type Tarball = {
  readonly path: string
  readonly sha256: string
  readonly bytes: number
  /** Without the folder `package/` that npm puts around them. */
  readonly files: readonly string[]
}

/** `npm run pack`, into a folder of its own. */
export function buildTarball(out: string, options: readonly string[] = []): string {
  const build = ['--disable-warning=ExperimentalWarning', 'package/build.ts', '--out', out]
  execFileSync(process.execPath, [...build, ...options], { cwd: ROOT, stdio: 'ignore' })
  const [name = ''] = readdirSync(out).filter((file) => file.endsWith('.tgz'))
  return join(out, name)
}

export function readTarball(path: string): Tarball {
  const bytes = readFileSync(path)
  const listing = execFileSync('tar', ['--list', '--gzip', '--file', path], {
    encoding: 'utf8',
    maxBuffer: LISTING_BYTES_MAX,
  })
  const files = listing.trim().split('\n')
  return {
    path,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
    files: files.map((file) => file.replace(/^package\//, '')),
  }
}

/** Files that should not be in the tarball, and files that are missing from it. */
export function findWrongFiles({ files }: Tarball): string[] {
  const dependencies = lockedDependencies()
  const unexpected = files.filter((file) => {
    if (!file.startsWith('node_modules/'))
      return REFUSED.test(file) || !EXPECTED.some((pattern) => pattern.test(file))
    return REFUSED.test(file) || !dependencies.some((folder) => file.startsWith(`${folder}/`))
  })
  const present = new Set(files)
  const missing = [...requiredFiles(), ...dependencies.map((folder) => `${folder}/package.json`)]
  return [
    ...unexpected.map((file) => `${file} should not be in the tarball`),
    ...missing.filter((file) => !present.has(file)).map((file) => `${file} is missing`),
  ]
}

function requiredFiles(): string[] {
  const scripts = globSync('src/**/*.{ts,lua}', { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => file.replace(/^src\//, 'dist/').replace(/\.ts$/, '.js'))
  const migrations = globSync('migrations/*.sql', { cwd: ROOT })
  // Commands refer to these pages.
  const pages = globSync('docs/{install,migrate,operating,start}/*.md', { cwd: ROOT })
  return [
    ...scripts,
    ...migrations,
    ...pages,
    'LICENSE',
    'package.json',
    'web/dist/index.html',
    'web/dist/index.de.html',
  ]
}

/** Folders of the packages that the lock file has not only for development. */
function lockedDependencies(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { readonly dev?: true; readonly link?: true }>>
  }
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link)
    .map(([path]) => path)
}
