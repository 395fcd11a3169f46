import { execFile } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import type { ContainerTools } from '../../harness/containers/tools.ts'

const run = promisify(execFile)
const SOURCE = resolve(import.meta.dirname, '../../../deploy/compose')
const DOCKER_COMPOSE = '/usr/libexec/docker/cli-plugins/docker-compose'
const HEALTH_PAUSE_MS = 1_000

const RUNNING = ['--filter', 'label=com.docker.compose.project=headrace', '--format', '{{.Names}}']

type ComposeFile = { readonly services: Readonly<Record<string, { readonly image: string }>> }

/** A copy of deploy/compose with its own `.env` and secrets, as an operator has it. */
export type Installation = {
  /** Runs `docker compose …` and resolves to what it prints. */
  readonly compose: (...args: string[]) => Promise<string>
  /** The images of other projects that the file names, without a registry. */
  readonly foreignImages: readonly string[]
  /** Changes a setting in `.env`. */
  set(name: string, value: string): void
  /** `docker stop` and `docker rm`. */
  remove(container: string): Promise<void>
  /** Runs the health checks of the file until aborted: without systemd podman has no timer. */
  checkHealth(signal: AbortSignal): Promise<void>
}

/** The steps of docs/install/compose.md before the first start. */
export async function createInstallation(
  tools: ContainerTools,
  settings: Readonly<Record<string, string>>,
  engineKey: string,
): Promise<Installation> {
  const folder = join(tools.work.outside, 'compose')
  cpSync(SOURCE, folder, {
    recursive: true,
    filter: (path) => !/\/(secrets|\.env)$/.test(path),
  })
  cpSync(join(folder, '.env.example'), join(folder, '.env'))
  const set = (name: string, value: string) => setVariable(join(folder, '.env'), name, value)
  for (const [name, value] of Object.entries(settings)) set(name, value)
  await run('env', [`ENGINE_KEY=${engineKey}`, join(folder, 'create-secrets.sh')])
  const { services } = parse(readFileSync(join(folder, 'compose.yaml'), 'utf8'), {
    merge: true,
  }) as ComposeFile
  const inside = `${tools.work.inside}/compose`
  const command = ['env', '-C', inside, `DOCKER_HOST=${tools.socket}`, DOCKER_COMPOSE]
  const images = Object.values(services).map(({ image }) => initialOf(image))
  return {
    set,
    compose: (...args) => tools.tool([...command, ...args]),
    foreignImages: images
      .filter((image) => !image.startsWith('localhost/'))
      .map((image) => (image.includes('/') ? image : `library/${image}`)),
    async remove(container) {
      await tools.podman('stop', '--time', '620', container)
      await tools.podman('rm', container)
    },
    async checkHealth(signal) {
      while (!signal.aborted) {
        const names = (await tools.podman('ps', ...RUNNING)).split('\n')
        // One that has no check, or has just ended, is an error of podman's.
        for (const name of names)
          await tools.podman('healthcheck', 'run', name).catch(() => undefined)
        // pacing: health is checked at an interval.
        await pause(HEALTH_PAUSE_MS, undefined, { signal }).catch(() => undefined)
      }
    },
  }
}

function setVariable(file: string, name: string, value: string): void {
  const text = readFileSync(file, 'utf8')
  const line = new RegExp(`^${name}=.*$`, 'm')
  if (!line.test(text)) throw new Error(`.env.example has no ${name}`)
  writeFileSync(file, text.replace(line, `${name}=${value}`))
}

/** Of `${NAME:-initial}`, which `.env` may replace. */
function initialOf(image: string): string {
  return /^\$\{\w+:-(.+)\}$/.exec(image)?.[1] ?? image
}
