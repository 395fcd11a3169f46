import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openPostgres } from '../../../src/store/postgres/postgres.ts'
import { startApiProcess, type ApiProcess } from '../../harness/api-process.ts'
import { createDatabase } from '../../harness/database.ts'
import { startValkey } from '../../harness/valkey.ts'
import { openKey, openOrganization } from '../../harness/tenants.ts'
import { limitsOf } from '../../harness/environment.ts'

export const MODEL = 'proof/exact'
const PLAN = 'ample'
const ENGINE = new URL('engine-process.ts', import.meta.url).pathname

export type EngineSize = { readonly slots: number; readonly serviceMs: number }

/** One api process over one engine of exact capacity, each in a process of its own. */
export type Place = AsyncDisposable & {
  readonly api: ApiProcess
  /** The key of a new organization that no rate limit stops. */
  openCaller(): Promise<string>
}

export async function startPlace(size: EngineSize): Promise<Place> {
  await using starting = new AsyncDisposableStack()
  const database = starting.use(await createDatabase())
  const postgres = starting.use(openPostgres(database.url))
  const engine = starting.use(await startEngine(size))
  const folder = await mkdtemp(join(tmpdir(), 'headrace-overload-'))
  starting.defer(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'headrace.yaml')
  await writeFile(file, settings(engine.url, size.slots))
  // Others keep the shared server busy, which would count as our delay.
  const valkey = starting.use(await startValkey())
  const environment = { HEADRACE_VALKEY_URL: valkey.url }
  const api = starting.use(await startApiProcess({ databaseUrl: database.url, file, environment }))
  const running = starting.move()
  return {
    api,
    async openCaller() {
      const { projectId } = await openOrganization(postgres.database, PLAN)
      return (await openKey(postgres.database, projectId)).text
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function settings(url: string, slots: number): string {
  return JSON.stringify({
    engines: [{ name: 'exact', kind: 'llama-server', url, slots }],
    models: [{ id: MODEL, owned_by: 'proof', engines: ['exact'] }],
    plans: { [PLAN]: { models: 'all', limits: limitsOf({}) } },
    default_plan: PLAN,
  })
}

async function startEngine({ slots, serviceMs }: EngineSize) {
  const args = [ENGINE, '--slots', `${slots}`, '--service-ms', `${serviceMs}`]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return {
    url,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}
