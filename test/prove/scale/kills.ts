import { setTimeout as pause } from 'node:timers/promises'
import { PARTITIONS, partitionKeys } from '../../../src/store/valkey/keys.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import type { Random } from '../../harness/figures/random.ts'
import { countOpen, type Measured } from './meter.ts'

/**
 * In this order. Usage that could not be settled while Valkey failed over waits in the memory of
 * the api processes, so that none of these is killed next.
 */
const KINDS = ['api', 'engine', 'valkey', 'worker'] as const

export type Kills = Record<(typeof KINDS)[number], number>

type Target = { kill(): Promise<void>; start(): Promise<void> }

type Schedule = {
  readonly streams: number
  /** Kills follow each other for this time; there is at least one of each kind. */
  readonly durationMs: number
  readonly betweenMs: number
}

/** Of the streams, which are open again before the next kill: more than a killed api leaves. */
const OPEN_SHARE = 0.8
const POLL_MS = 500
const RECOVERY_TIMEOUT_MS = 300_000

/** One kill after the other, each after the streams have recovered from the one before. */
export async function killInTurn(
  measured: Measured,
  random: Random,
  { streams, durationMs, betweenMs }: Schedule,
): Promise<Kills> {
  const kills: Kills = { api: 0, engine: 0, valkey: 0, worker: 0 }
  await waitUntilOpen(measured, streams)
  const untilMs = performance.now() + durationMs
  for (let made = 0; made < KINDS.length || performance.now() < untilMs; made += 1) {
    const kind = KINDS[made % KINDS.length]!
    // time is under test: the load runs between two kills.
    await pause(betweenMs)
    const tookMs = await killOne(kind, measured, random)
    kills[kind] += 1
    const openedMs = await waitUntilOpen(measured, streams)
    const seconds = [tookMs, openedMs].map((ms) => (ms / 1_000).toFixed(1))
    console.log(`killed ${kind}: back after ${seconds[0]} s, its streams ${seconds[1]} s later`)
  }
  return kills
}

async function killOne(
  kind: (typeof KINDS)[number],
  { apis, engines, workers, cluster }: Measured,
  random: Random,
): Promise<number> {
  const sinceMs = performance.now()
  if (kind === 'valkey') {
    await cluster.killPrimaryOf(partitionKeys(random.between(0, PARTITIONS - 1)).open)
    await cluster.restore()
  } else {
    const targets: readonly Target[] = { api: apis, engine: engines, worker: workers }[kind]
    const target = random.pick(targets)
    await target.kill()
    await target.start()
  }
  return performance.now() - sinceMs
}

async function waitUntilOpen(measured: Measured, streams: number): Promise<number> {
  const isOpen = async () => (await countOpen(measured)) >= OPEN_SHARE * streams
  const waiting = { pollMs: POLL_MS, seen: () => countOpen(measured) }
  return waitUntil(`${streams} open streams`, isOpen, RECOVERY_TIMEOUT_MS, waiting)
}
