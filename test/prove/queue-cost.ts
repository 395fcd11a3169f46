// A request and a freed slot cost the same, however many organizations wait for a model.
// covers: src/engines/fleet/**
import { crc32 } from 'node:zlib'
import type { Engine } from '../../src/engines/adapters/engine.ts'
import { createFleet, type Fleet } from '../../src/engines/fleet/fleet.ts'
import type { SlotRequest } from '../../src/engines/fleet/model-pool.ts'
import type { Slot } from '../../src/engines/fleet/slot.ts'
import { createLoneSharing } from '../harness/engines/lone-process.ts'
import { keepLines } from '../harness/lines.ts'
import { runProof } from '../harness/proof.ts'

const ENGINES = 64
const SLOTS = 32
const [FEW, MANY] = [100, 2_000]
/** What is measured at once, and how often; the least counts, since other work only adds. */
const MEASURED = 200
const ROUNDS = 7
const COST_US_MAX = 50
/** Of the cost with many organizations and that with few. */
const RATIO_MAX = 3
const MODEL = 'model'
const QUEUE_MS = 600_000

/** Only the queue is measured, so an engine is a name and slots. */
function engineOf(index: number): Engine {
  const name = `engine-${index}`
  const idle = { promptCache: 'none', close: () => undefined, can: () => true }
  return { name, server: name, modelName: MODEL, slots: SLOTS, ...idle } as unknown as Engine
}

function requestOf(organizationId: string, prefix: number): SlotRequest {
  const size = { inputTokens: 10, outputTokensMax: 10, weight: 1, virtualTime: 0 }
  return { organizationId, prefix, head: prefix, ...size }
}

type Asked = { readonly slot: Promise<Slot | undefined>; readonly leave: () => void }

/** Each has a signal of its own: listeners of a common one would be what is measured. */
function ask(fleet: Fleet, who: string, index: number): Asked {
  const leaving = new AbortController()
  const request = requestOf(`${who}-${index}`, crc32(`${who}-${index}`))
  const slot = fleet.takeSlot(MODEL, request, leaving.signal).catch(() => undefined)
  return { slot, leave: () => leaving.abort() }
}

/** The processor time of one of so many calls, in microseconds. */
function costOf(run: (index: number) => void): number {
  const before = process.cpuUsage()
  for (let index = 0; index < MEASURED; index += 1) run(index)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / MEASURED
}

/** All slots are taken, and one request of each organization waits. */
async function measure(organizations: number) {
  const engines = Array.from({ length: ENGINES }, (_, index) => engineOf(index))
  await using fleet = createFleet(new Map([[MODEL, engines]]), {
    log: keepLines().log,
    queueMs: QUEUE_MS,
    sharing: createLoneSharing(SLOTS),
  })
  await fleet.start()
  const all = (count: number, who: string) =>
    Array.from({ length: count }, (_, index) => ask(fleet, who, index))
  const running = await Promise.all(all(ENGINES * SLOTS, 'running').map(({ slot }) => slot))
  const waiting = all(organizations, 'waiting')
  const request = costOf((index) => waiting.push(ask(fleet, 'late', index)))
  const freed = costOf((index) => running[index]?.[Symbol.dispose]())
  const isServed = fleet.pools()[MODEL]?.waiting === organizations
  for (const { leave } of waiting) leave()
  await Promise.all(waiting.map(({ slot }) => slot))
  return { request, freed, isServed }
}

await runProof('queue-cost', async (run) => {
  const least = async (organizations: number) => {
    const costs = []
    for (let round = 0; round < ROUNDS; round += 1) costs.push(await measure(organizations))
    if (!costs.every(({ isServed }) => isServed)) run.fail('a freed slot started no request')
    return {
      request: Math.min(...costs.map(({ request }) => request)),
      freed: Math.min(...costs.map(({ freed }) => freed)),
    }
  }
  // The first runs are of code that is not compiled yet.
  await least(MANY)
  const [few, many] = [await least(FEW), await least(MANY)]
  for (const step of ['request', 'freed'] as const) {
    const ratio = many[step] / few[step]
    if (ratio > RATIO_MAX) run.fail(`${step}: ${ratio.toFixed(1)} times the cost of ${FEW}`)
    if (!run.short && many[step] > COST_US_MAX)
      run.fail(`${step}: ${many[step].toFixed(0)} µs of processor time`)
  }
  const show = (us: number) => `${us.toFixed(1)} µs`
  return {
    engines: ENGINES,
    organizations: MANY,
    request: show(many.request),
    freed: show(many.freed),
    request_few: show(few.request),
    freed_few: show(few.freed),
  }
})
