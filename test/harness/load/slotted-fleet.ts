import { limitsOf, startEnvironment } from '../environment.ts'
import { sumBusyMs } from '../fake-engine/busy-time.ts'
import { slottedRequest, startSlottedEngines, sumOf } from '../fake-engine/slotted.ts'
import { openLine, type Exchange } from '../clients/http-client.ts'
import { startManyFleets } from './many-fleets.ts'

/** Engines with slots behind several processes, for organizations that ask for their time. */
export type SlottedFleet = AsyncDisposable & {
  readonly slots: number
  readonly processes: number
  /** Sends what needs a slot for some time, through one of the processes. */
  use(process: number, organization: Organization, ms: number): Promise<Exchange>
  /** How long each organization, by its name, has used slots. */
  busyMsBy(): Promise<Readonly<Record<string, number>>>
  /** Requests that came to an engine while every slot of it was taken. */
  excess(): Promise<number>
}

export type Organization = {
  readonly name: string
  readonly weight: 1 | typeof WEIGHT
  /** `max_tokens`; default: what it uses. */
  readonly tokensMax?: number
}

export type FleetSize = {
  readonly processes: number
  readonly engines: number
  readonly slots: number
}

/** The weight of organizations that are not of weight 1. */
export const WEIGHT = 3
/** Every engine generates at this rate, so that the time of slots is proportional to tokens. */
const MS_PER_TOKEN = 5
const QUEUE_MS = 3_000
const MODEL = 'test/slotted'
/** Long generations, after their wait. */
const TIMEOUT_MS = 120_000
const CONNECTIONS = 1_000

const tokensIn = (ms: number) => Math.ceil(ms / MS_PER_TOKEN)

/** Real processes of the api, and requests over HTTP. */
export async function startSlottedProcesses(size: FleetSize): Promise<SlottedFleet> {
  await using starting = new AsyncDisposableStack()
  const held = { slots: size.slots, onExcess: 'fail' } as const
  const engines = starting.use(await startSlottedEngines(size.engines, held))
  const plan = { models: 'all' as const, limits: limitsOf() }
  const environment = starting.use(
    await startEnvironment({
      engines: engines.settings,
      models: [{ id: MODEL, engines: engines.settings.map(({ name }) => name) }],
      plans: { light: { ...plan, weight: 1 }, heavy: { ...plan, weight: WEIGHT } },
      valkey: 'own',
    }),
  )
  const apis = await environment.startApis(size.processes)
  const lines = apis.map(({ apiRoot }) => starting.use(openLine(apiRoot, CONNECTIONS, TIMEOUT_MS)))
  const keys = new Map<string, Promise<string>>()
  const openKey = ({ weight }: Organization) =>
    environment.openCaller(weight === 1 ? 'light' : 'heavy').then(({ key }) => key)
  const started = starting.move()
  return {
    slots: size.engines * size.slots,
    processes: size.processes,
    async use(process, organization, ms) {
      const { name, tokensMax } = organization
      const key = keys.get(name) ?? openKey(organization)
      keys.set(name, key)
      const work = { ms, prompt: 10, tokens: tokensIn(ms), by: name }
      return lines[process]!.chat(await key, slottedRequest(MODEL, work, tokensMax))
    },
    async busyMsBy() {
      const sums: Record<string, number> = {}
      for (const { busyMsBy } of await engines.counts())
        for (const [by, ms] of Object.entries(busyMsBy)) sums[by] = (sums[by] ?? 0) + ms
      return sums
    },
    excess: async () => sumOf(await engines.counts(), 'excess'),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** Fleets in this process, which need little of a busy machine. */
export async function startSlottedFleets(size: FleetSize): Promise<SlottedFleet> {
  const { engines, slots, processes } = size
  const fleets = await startManyFleets(processes, { engines, slots, queueMs: QUEUE_MS })
  return {
    slots: engines * slots,
    processes,
    use: (process, { name, weight, tokensMax }, ms) => {
      const tokens = tokensIn(ms)
      return fleets.use(process, name, { ms, tokens, tokensMax: tokensMax ?? tokens, weight })
    },
    busyMsBy: () => Promise.resolve(fleets.busyMsBy()),
    excess: () => Promise.resolve(fleets.excess),
    [Symbol.asyncDispose]: () => fleets[Symbol.asyncDispose](),
  }
}

/** The share of all slots that is used over the time that `pass` takes. */
export async function measureUse(fleet: SlottedFleet, pass: () => Promise<void>): Promise<number> {
  const before = sumBusyMs(await fleet.busyMsBy())
  const sinceMs = performance.now()
  await pass()
  const busyMs = sumBusyMs(await fleet.busyMsBy()) - before
  return busyMs / (fleet.slots * (performance.now() - sinceMs))
}
