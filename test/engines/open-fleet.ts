import { after } from 'node:test'
import { EngineError, type Engine } from '../../src/engines/adapters/engine.ts'
import { createFleet, type EnginesByModel, type Fleet } from '../../src/engines/fleet/fleet.ts'
import type { SlotRequest } from '../../src/engines/fleet/model-pool.ts'
import { openSharing } from '../../src/store/fleet/open-sharing.ts'
import { createLoneSharing } from '../harness/engines/lone-process.ts'
import { keepLines } from '../harness/lines.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { connectValkey, startValkey } from '../harness/servers/valkey.ts'

export const { signal } = new AbortController()

export const request: SlotRequest = {
  organizationId: 'a',
  inputTokens: 1,
  outputTokensMax: 1,
  weight: 1,
  virtualTime: 0,
  prefix: 7,
  head: 7,
}

const WAIT_MS = 10_000
const server = await startValkey()
const valkey = await connectValkey([server.url])
after(async () => {
  await valkey[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

/** Engines with so many slots each, whose states nothing decides. */
export async function openEngines(enginesByModel: EnginesByModel, slots: number): Promise<Fleet> {
  const sharing = createLoneSharing(slots)
  const fleet = createFleet(enginesByModel, { log: keepLines().log, queueMs: 10_000, sharing })
  await fleet.start()
  return fleet
}

/** A fleet of its own in the store, which decides the states of its engines. */
export async function openShared(enginesByModel: EnginesByModel) {
  const shared = openSharing(valkey, crypto.randomUUID(), crypto.randomUUID())
  let replies = 0
  const exchange = async (report: object) => {
    const reply = await shared.exchange(report)
    replies += 1
    return reply
  }
  const sharing = { ...shared, exchange }
  const fleet = createFleet(enginesByModel, { log: keepLines().log, queueMs: 10_000, sharing })
  await fleet.start()
  /** What was reported until now is decided with the second reply. */
  const decided = async () => {
    const wanted = replies + 2
    await waitUntil('two replies', () => replies >= wanted, WAIT_MS)
  }
  return { fleet, decided }
}

/** Engines whose check, a generation of the gateway's own, passes or not. */
export async function openFleet(checks: 'pass' | 'fail' | 'refuse', names = ['one', 'other']) {
  let checked = 0
  const engine = (name: string) => {
    const generate = async () => {
      checked += 1
      if (checks === 'fail') throw new EngineError('status', name, '500')
      if (checks === 'refuse') throw new EngineError('refused', name, '422')
      return (async function* () {
        yield { pieces: [{ type: 'text', text: 'x' }], progress: undefined }
      })()
    }
    return { name, slots: 4, promptCache: 'none', generate, ...IDLE } as unknown as Engine
  }
  const shared = await openShared(new Map([['model', names.map((name) => engine(name))]]))
  const take = async (organizationId = 'a') => {
    return shared.fleet.takeSlot('model', { ...request, organizationId }, signal)
  }
  return { ...shared, take, checked: () => checked }
}

export const IDLE = {
  readLoad: async () => ({ running: 0, waiting: 0 }),
  close: () => undefined,
}
