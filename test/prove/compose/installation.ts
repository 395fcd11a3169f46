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

type ComposeFile = {
  readonly services: Readonly<
    Record<string, { readonly image: string; readonly healthcheck?: object }>
  >
}

/** A copy of deploy/compose with its own `.env` and secrets, as an operator has it. */
export type Installation = {
  /** Runs `docker compose …` and resolves to what it prints. */
  readonly compose: (...args: string[]) => Promise<string>
  /** The images of other projects that the file names, without a registry. */
  readonly foreignImages: readonly string[]
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
  let text = readFileSync(join(folder, '.env.example'), 'utf8')
  for (const [name, value] of Object.entries(settings)) {
    if (!new RegExp(`^${name}=`, 'm').test(text)) throw new Error(`.env.example has no ${name}`)
    text = text.replace(new RegExp(`^${name}=.*$`, 'm'), `${name}=${value}`)
  }
  writeFileSync(join(folder, '.env'), text)
  await run(join(folder, 'create-secrets.sh'), { env: { ...process.env, ENGINE_KEY: engineKey } })
  const { services } = parse(readFileSync(join(folder, 'compose.yaml'), 'utf8'), {
    merge: true,
  }) as ComposeFile
  const inside = `${tools.work.inside}/compose`
  const command = ['env', '-C', inside, `DOCKER_HOST=${tools.socket}`, DOCKER_COMPOSE]
  const images = Object.values(services).map(({ image }) => image)
  const checked = Object.keys(services).filter((name) => services[name]?.healthcheck !== undefined)
  return {
    compose: (...args) => tools.tool([...command, ...args]),
    foreignImages: images
      .filter((image) => !image.startsWith('$'))
      .map((image) => (image.includes('/') ? image : `library/${image}`)),
    async checkHealth(signal) {
      while (!signal.aborted) {
        for (const name of checked)
          await tools.podman('healthcheck', 'run', `headrace-${name}-1`).catch(() => undefined)
        await pause(HEALTH_PAUSE_MS, undefined, { signal }).catch(() => undefined)
      }
    },
  }
}
