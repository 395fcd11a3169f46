import { setTimeout as pause } from 'node:timers/promises'
import { startManyFleets } from '../../harness/many-fleets.ts'
import { readServer } from './read-server.ts'

const SLOTS = 16
/** Slots that are in use, so that none waits and leases change all the time. */
const USED = 0.8
const GENERATION_MS = 2_000
const ORGANIZATIONS = 40
const QUEUE_MS = 10_000
const MEASURED_MS = 4_000
const TOKENS = 100

export type HeartbeatFigures = {
  readonly processes: number
  readonly engines: number
  readonly heartbeats: number
  readonly micros: number
  readonly wireBytes: number
}

/** What a heartbeat costs Valkey, while fleets in this process use most slots of some engines. */
export async function measureHeartbeats(
  processes: number,
  engines: number,
): Promise<HeartbeatFigures> {
  await using fleets = await startManyFleets(processes, {
    engines,
    slots: SLOTS,
    queueMs: QUEUE_MS,
  })
  const stopping = new AbortController()
  const generate = async (number: number) => {
    while (!stopping.signal.aborted) {
      const organization = `organization-${number % ORGANIZATIONS}`
      await fleets.use(number % processes, organization, { ms: GENERATION_MS, tokens: TOKENS })
    }
  }
  const running = Array.from({ length: Math.floor(engines * SLOTS * USED) }, (_, number) =>
    generate(number),
  )
  // time is under test: the load settles, and heartbeats come at an interval.
  await pause(GENERATION_MS)
  const before = await readServer(fleets.valkey)
  // time is under test: heartbeats come at an interval.
  await pause(MEASURED_MS)
  const after = await readServer(fleets.valkey)
  stopping.abort()
  await Promise.all(running)
  const heartbeats = after.scriptCalls - before.scriptCalls
  const wire = ({ receivedBytes, sentBytes }: typeof before) => receivedBytes + sentBytes
  return {
    processes,
    engines,
    heartbeats,
    micros: (after.cpuMicros - before.cpuMicros) / heartbeats,
    wireBytes: (wire(after) - wire(before)) / heartbeats,
  }
}
