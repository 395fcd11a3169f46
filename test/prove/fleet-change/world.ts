import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { limitsOf, startEnvironment, type Environment } from '../../harness/environment.ts'
import { startCuttableWay, type CuttableWay } from '../../harness/servers/cuttable-way.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { startValkey } from '../../harness/servers/valkey.ts'
import { reload } from '../lifecycle/observe.ts'
import { startPods, type Pods } from './pods.ts'
import { SLOTS, startServer, type Server } from './servers.ts'

export const FIRST = 'test/first'
export const SECOND = 'test/second'

/** An engine as the configuration names it now. */
export type Engine = {
  readonly name: string
  server: Server
  /** What the server calls its model; undefined where that is the id of the model. */
  modelName: string | undefined
  /** Whether the second model is configured on it too. */
  hasSecond: boolean
}

export type Api = { readonly process: HeadraceProcess; readonly way: CuttableWay }

/** Servers, the configuration that names some of them, and the processes that use it. */
export type World = AsyncDisposable & {
  readonly run: ProofRun
  readonly environment: Environment
  readonly apis: readonly Api[]
  readonly engines: Engine[]
  /** Servers that a group discovers. */
  readonly discovered: Server[]
  /** Servers with an IPv4 and an IPv6 address, which a Kubernetes API server tells of. */
  readonly pods: Pods
  /** Servers that nobody names. */
  readonly spare: Server[]
  /** Writes the configuration and has every process read it. */
  configure(): Promise<void>
  /** Writes the list of servers that processes discover. */
  discover(): Promise<void>
}

const PROCESSES = 3
const ENGINES = 3
const DISCOVERED = 1
const PODS = 1
const SPARE = 2

export async function startWorld(run: ProofRun): Promise<World> {
  await using starting = new AsyncDisposableStack()
  const valkey = starting.use(await startValkey())
  const ways = await Promise.all(
    Array.from({ length: PROCESSES }, async () => starting.use(await startCuttableWay(valkey.url))),
  )
  const environment = starting.use(await startEnvironment({ valkey: [valkey.url] }))
  const start = async () => starting.use(await startServer([FIRST]))
  const servers = (count: number) => Promise.all(Array.from({ length: count }, start))
  const engines = (await servers(ENGINES)).map((server, at): Engine => ({
    name: `engine-${at}`,
    server,
    modelName: undefined,
    hasSecond: false,
  }))
  const [discovered, spare] = [await servers(DISCOVERED), await servers(SPARE)]
  const folder = join(dirname(environment.file), 'engines.d')
  await mkdir(folder)
  const discover = () => write(join(folder, 'engines.yaml'), { engines: discovered.map(listed) })
  const pods = starting.use(await startPods(await servers(PODS), folder))
  const store = () => write(environment.file, settingsOf(engines, folder, pods))
  await discover()
  await store()
  const apis = await Promise.all(
    ways.map(async (way): Promise<Api> => {
      const process = await environment.startApi({ HEADRACE_VALKEY_URL: way.url })
      return { process, way }
    }),
  )
  const started = starting.move()
  return {
    run,
    environment,
    apis,
    engines,
    discovered,
    pods,
    spare,
    discover,
    async configure() {
      await store()
      for (const { process } of apis) {
        const { result, problems } = await reload(process)
        if (result !== 'applied') run.fail(`reload rejected: ${problems.join('; ')}`)
      }
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** Every server that processes may use now. */
export function serversOf({ engines, discovered, pods }: World): Set<Server> {
  return new Set([...engines.map(({ server }) => server), ...discovered, ...pods.servers])
}

function listed({ engine }: Server) {
  return { url: engine.url }
}

function settingsOf(engines: readonly Engine[], path: string, pods: Pods): object {
  const groups = [
    { name: 'found', kind: 'vllm', slots: SLOTS, discover: { file: { path } } },
    { name: 'pods', kind: 'vllm', slots: SLOTS, discover: pods.discover },
  ]
  const second = engines.filter(({ hasSecond }) => hasSecond).map(({ name }) => name)
  const modelOf = (id: string, names: readonly string[]) => ({
    id,
    owned_by: 'test',
    engines: names,
  })
  return {
    engines: [
      ...engines.map(({ name, server, modelName }) => ({
        name,
        kind: 'vllm',
        url: server.engine.url,
        slots: SLOTS,
        ...(modelName === undefined ? {} : { model_name: modelName }),
      })),
      ...groups,
    ],
    models: [
      modelOf(
        FIRST,
        [...engines, ...groups].map(({ name }) => name),
      ),
      ...(second.length === 0 ? [] : [modelOf(SECOND, second)]),
    ],
    plans: { ample: { models: 'all', limits: limitsOf() } },
    default_plan: 'ample',
    worker: { health_port: 0 },
  }
}

/** A process never reads half of a file. */
async function write(file: string, content: object): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(content))
  await rename(`${file}.new`, file)
}
