import { ValkeyUnavailable } from '../../../src/store/valkey/valkey.ts'
import type { PostgresServer } from '../../harness/servers/postgres-server.ts'
import { cpuSeconds, residentBytes, type HeadraceProcess } from '../../harness/processes/process.ts'
import type { FailingCluster } from '../../harness/servers/valkey-failover.ts'
import { connectValkey } from '../../harness/servers/valkey.ts'
import type { Engine, Generator } from './load.ts'

const SAMPLE_MS = 2_000

export type Measured = {
  readonly apis: readonly HeadraceProcess[]
  readonly workers: readonly HeadraceProcess[]
  readonly engines: readonly Engine[]
  readonly generators: readonly Generator[]
  readonly cluster: FailingCluster
  readonly server: PostgresServer
}

const PARTS = ['api', 'worker', 'valkey', 'engine', 'generator'] as const
type Part = (typeof PARTS)[number]

export type Measurement = {
  readonly seconds: number
  /** Processor time of each part. */
  readonly cpuSeconds: Readonly<Record<Part | 'postgres', number>>
  readonly openMax: number
  /** Of the api processes at the time of `openMax`, beyond what they had at the start. */
  readonly bytesPerStream: number
  readonly valkeyBytesMax: number
  readonly commandsPerSecond: number
}

/** Samples what each part uses. A process that is killed counts to its last sample. */
export function startMeter(measured: Measured): { stop(): Promise<Measurement> } {
  const sinceMs = performance.now()
  const first = new Map<number, number>()
  const last = new Map<number, { part: Part; seconds: number }>()
  const postgresBefore = measured.server.cpuSeconds()
  const residentBefore = residentOf(measured)
  const commands: number[] = []
  let [openMax, bytesPerStream, valkeyBytesMax] = [0, 0, 0]

  const sampleTimes = (starting = false) => {
    for (const part of PARTS)
      for (const pid of pidsOf(measured, part)) {
        const seconds = readIfThere(() => cpuSeconds(pid))
        if (seconds === undefined) continue
        // Only a process that was there at the start has used time before it.
        if (!first.has(pid)) first.set(pid, starting ? seconds : 0)
        last.set(pid, { part, seconds })
      }
  }
  const sampleStores = async () => {
    const open = await countOpen(measured)
    const resident = residentOf(measured)
    if (open > openMax) {
      openMax = open
      bytesPerStream = (resident - residentBefore) / open
    }
    const { bytes, perSecond } = await readServers(measured.cluster)
    valkeyBytesMax = Math.max(valkeyBytesMax, bytes)
    commands.push(perSecond)
  }
  sampleTimes(true)
  let sampling = Promise.resolve()
  const timer = setInterval(() => {
    sampleTimes()
    sampling = sampling.then(sampleStores).catch(ignoreUnavailable)
  }, SAMPLE_MS)
  return {
    async stop() {
      clearInterval(timer)
      sampleTimes()
      await sampling
      const used = { api: 0, worker: 0, valkey: 0, engine: 0, generator: 0, postgres: 0 }
      for (const [pid, { part, seconds }] of last) used[part] += seconds - (first.get(pid) ?? 0)
      used.postgres = measured.server.cpuSeconds() - postgresBefore
      return {
        seconds: (performance.now() - sinceMs) / 1_000,
        cpuSeconds: used,
        openMax,
        bytesPerStream,
        valkeyBytesMax,
        commandsPerSecond: commands.reduce((sum, each) => sum + each, 0) / (commands.length || 1),
      }
    },
  }
}

function pidsOf({ apis, workers, engines, generators, cluster }: Measured, part: Part): number[] {
  const processes = (list: readonly HeadraceProcess[]) => list.map(({ child }) => child.pid ?? 0)
  switch (part) {
    case 'api':
      return processes(apis)
    case 'worker':
      return processes(workers)
    case 'valkey':
      return cluster.servers().map(({ pid }) => pid)
    case 'engine':
      return engines.map(({ pid }) => pid)
    case 'generator':
      return generators.map(({ pid }) => pid)
  }
}

function residentOf({ apis }: Measured): number {
  const sizes = apis.map(({ child }) => readIfThere(() => residentBytes(child.pid)) ?? 0)
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Undefined if the process was killed. */
function readIfThere(read: () => number): number | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Generations in progress on all api processes. */
export async function countOpen({ apis }: Pick<Measured, 'apis'>): Promise<number> {
  const counts = apis.map((api) => api.metric('headrace_slots_in_use').catch(() => 0))
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof ValkeyUnavailable)) throw error
}

/** Memory of all servers, and commands in a second of the moment. */
async function readServers(cluster: FailingCluster) {
  let [bytes, perSecond] = [0, 0]
  for (const { url } of cluster.servers()) {
    await using node = await connectValkey([url])
    const info = (await node.call('INFO', [])) as string
    bytes += Number(/^used_memory:(\d+)/m.exec(info)?.[1])
    if (info.includes('role:master'))
      perSecond += Number(/^instantaneous_ops_per_sec:(\d+)/m.exec(info)?.[1])
  }
  return { bytes, perSecond }
}
