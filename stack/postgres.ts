import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { postgresPrograms, postgresUser } from './programs.ts'

/**
 * Creates a database cluster in the folder unless there is one. Its superuser is postgres, without
 * a password. As root, every parent of the folder must be accessible to all users.
 */
export function createCluster(folder: string): void {
  if (existsSync(join(folder, 'PG_VERSION'))) return
  // An interrupted initdb leaves a folder that the next initdb would reject.
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  const user = postgresUser()
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const { command, args, env } = postgresPrograms().initdb
  const own = ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-instructions']
  // PostgreSQL's own locale provider sorts the same on every machine.
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  try {
    // The current folder may be inaccessible to the user that PostgreSQL runs as.
    const options = { env, cwd: dirname(folder), encoding: 'utf8', stdio: 'pipe' } as const
    execFileSync(command, [...args, ...own, ...locale], options)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** The arguments of `postgres` for a cluster that listens on a loopback port and nowhere else. */
export function postgresArguments(folder: string, port: number): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    // A socket's path is limited to 107 bytes, which a deep project folder exceeds.
    unix_socket_directories: '',
    max_connections: 200,
  }
  return [
    '-D',
    folder,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}

/**
 * More arguments, for data that nobody misses after a crash of the machine: no commit waits for the
 * disk. A killed process loses nothing by them, because the kernel keeps what it has written.
 */
export const NEVER_WAIT_FOR_DISK = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
].flatMap((setting) => ['-c', setting])

/**
 * Removes the lock file of a killed PostgreSQL. PostgreSQL does this itself, unless the process id
 * in the file now belongs to another process of the same user, which is likely after a container
 * restart.
 */
export function removeStalePostmasterFile(folder: string): void {
  const path = join(folder, 'postmaster.pid')
  if (!existsSync(path)) return
  const pid = Number(readFileSync(path, 'utf8').split('\n', 1)[0])
  if (workingFolder(pid) !== realpathSync(folder)) rmSync(path)
}

/** PostgreSQL processes have the data folder as their working directory. */
function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}
