import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chooseFreePort } from './ports.ts'
import { engineKey, servers } from './servers.ts'
import { projectFolder, USUAL_NAMES, type Stack, type UsualName } from './state.ts'

const run = promisify(execFile)

const portVariables: Record<UsualName, string> = {
  postgres: 'HEADRACE_POSTGRES_PORT',
  valkey: 'HEADRACE_VALKEY_PORT',
  engine: 'HEADRACE_ENGINE_PORT',
}

/** Why Docker Compose cannot be used here, or undefined if it can. */
export async function findComposeObstacle(): Promise<string | undefined> {
  try {
    await run('docker', ['compose', 'version'])
  } catch {
    return '`docker compose` is not installed'
  }
  try {
    await run('docker', ['info'])
    return undefined
  } catch {
    return 'the Docker daemon is not running'
  }
}

/** Chooses the addresses of the containers. Recorded ports are reused. */
export async function chooseAddresses(last: Partial<Stack>): Promise<Stack> {
  const [postgres, valkey, engine] = await Promise.all([
    chooseUrl('postgres', last),
    chooseUrl('valkey', last),
    chooseUrl('engine', last),
  ])
  const apiKey = engineKey()
  return { postgres: { url: postgres }, valkey: { url: valkey }, engine: { url: engine, apiKey } }
}

/** Starts the containers and waits until they are healthy. */
export async function startContainers(stack: Stack): Promise<void> {
  const environment: NodeJS.ProcessEnv = { ...process.env }
  for (const name of USUAL_NAMES) environment[portVariables[name]] = new URL(stack[name].url).port
  await compose(['up', '--detach', '--wait'], environment)
}

/** Removes the containers and keeps the volumes. */
export async function stopContainers(): Promise<void> {
  await compose(['down'], process.env)
}

async function chooseUrl(name: UsualName, last: Partial<Stack>): Promise<string> {
  const server = servers.find((one) => one.name === name)
  if (server === undefined) throw new Error(`unknown server ${name}`)
  const url = last[name]?.url
  // A recorded address that responds belongs to our own container.
  if (url !== undefined && (await server.answers(url))) return url
  const wanted = url === undefined ? server.defaultPort : Number(new URL(url).port)
  return server.url(await chooseFreePort(wanted))
}

async function compose(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const file = join(projectFolder, 'compose.yaml')
  await run('docker', ['compose', '--file', file, ...args], { cwd: projectFolder, env })
}
