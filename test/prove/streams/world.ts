import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgres } from '../../../src/store/postgres/postgres.ts'
import { startApiProcess, type ApiProcess } from '../../harness/api-process.ts'
import { createDatabase } from '../../harness/database.ts'
import { openKey, openOrganization } from '../../harness/tenants.ts'
import { limitsOf } from '../../harness/environment.ts'

/** A configuration and its database, on which processes of the api can be started. */
export type World = AsyncDisposable & {
  readonly key: string
  startApi(environment?: Readonly<Record<string, string>>): Promise<ApiProcess>
  /** The engine that a request was settled on, as soon as the api has said so in its log. */
  engineOf(requestId: string): string | undefined
}

export type EngineSetting = {
  readonly name: string
  readonly url: string
  readonly slots: number
  readonly model_name: string
}

export type ModelSetting = { readonly id: string; readonly engines: readonly string[] }

type Settled = { readonly msg?: string; readonly requestId?: string; readonly engine?: string }

const PLAN = 'ample'

export async function createWorld(
  engines: readonly EngineSetting[],
  models: readonly ModelSetting[],
): Promise<World> {
  await using starting = new AsyncDisposableStack()
  const database = starting.use(await createDatabase())
  const folder = await mkdtemp(join(tmpdir(), 'headrace-streams-'))
  starting.defer(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'headrace.yaml')
  const settings = {
    engines: engines.map((engine) => ({ ...engine, kind: 'llama-server' })),
    models: models.map((model) => ({ ...model, owned_by: 'proof' })),
    plans: { [PLAN]: { models: 'all', limits: limitsOf({}) } },
    default_plan: PLAN,
  }
  await writeFile(file, JSON.stringify(settings))
  await using postgres = openPostgres(database.url)
  const { projectId } = await openOrganization(postgres.database, PLAN)
  const { text: key } = await openKey(postgres.database, projectId)
  const settledOn = new Map<string, string>()
  const onLog = (line: string) => {
    const { msg, requestId = '', engine = '' } = JSON.parse(line) as Settled
    if (msg === 'settled') settledOn.set(requestId, engine)
  }
  const running = starting.move()
  return {
    key,
    async startApi(environment = {}) {
      const told = { HEADRACE_API_LOG_LEVEL: 'debug', ...environment }
      const options = { databaseUrl: database.url, file, environment: told, onLog }
      return running.use(await startApiProcess(options))
    },
    engineOf: (requestId) => settledOn.get(requestId),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
