import { MINUTE_MS } from '../../../src/lib/time.ts'
import { createLimits } from '../../../src/store/limits/limits.ts'
import { openUsageLog } from '../../../src/store/usage/usage-log.ts'
import { PARTITIONS, organizationKeys, partitionKeys } from '../../../src/store/valkey/keys.ts'
import { readScript, scriptCaller } from '../../../src/store/valkey/scripts.ts'
import type { Valkey } from '../../../src/store/valkey/valkey.ts'
import type { LimitsAsk } from '../../../src/tenancy/rate-limits.ts'
import type { OpenedRecord } from '../../../src/tenancy/usage-record.ts'
import { askOf, keyLimits, opening, prepaid } from '../../harness/load/limits-asks.ts'
import { keepLines } from '../../harness/lines.ts'
import { endOf, PRICE } from '../../harness/seed/usage-records.ts'
import { connectValkey, startValkey } from '../../harness/servers/valkey.ts'
import { readServer, type ServerState } from './read-server.ts'

/** This process is busy for long, and timers fire before replies are read. */
const TIMEOUT_MS = 60_000
/** Of organizations that all differ, so that no two requests share a call. */
const OUTSTANDING = 128
/** As many checkpoints as a call has when a partition has few streams of a process, or many. */
const CHECKPOINTS_PER_CALL = [1, 64] as const
const COUNTS = '1000,0,500,0'
/** Sets of settled requests that may still exist. */
const SETTLED_MINUTES = 7
const CHECKPOINT = readScript(import.meta.url, '../../../src/store/usage/checkpoint.lua')

export type ValkeyFigures = {
  readonly organizationBytes: number
  readonly limitedKeyBytes: number
  readonly openRecordBytes: number
  readonly waitingRecordBytes: number
  readonly requestWireBytes: number
  readonly checkpointWireBytes: number
  /** Of a call, and of each checkpoint in it. */
  readonly checkpointCallMicros: number
  readonly checkpointMicros: number
}

/** What organizations, keys, requests and checkpoints take of a real server. */
export async function measureValkey(count: number): Promise<ValkeyFigures> {
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url], { timeoutMs: TIMEOUT_MS })
  await using limits = createLimits(valkey)
  await using usageLog = openUsageLog(valkey, { log: keepLines().log })
  const admit = async (ask: LimitsAsk) => {
    const { kind } = await limits.admit(ask)
    if (kind !== 'admitted') throw new Error(`an admission was ${kind}`)
  }
  const settle = (record: OpenedRecord) => usageLog.settle(endOf(record), record)
  const funds = prepaid({ granted: Number.MAX_SAFE_INTEGER })
  const asks = Array.from({ length: count }, () => askOf({ funds }))
  const open = () => asks.map((ask) => opening(ask, { price: PRICE, reserved: 1_000 }))
  // The server learns the scripts, and connections get their buffers.
  await cycle([opening(askOf({ funds }))], admit, settle)
  await clear(valkey)

  const empty = await readServer(valkey)
  await cycle(open(), admit, settle)
  await clear(valkey)
  const known = await readServer(valkey)
  const opened = open()
  await eachOf(opened, admit)
  const admitted = await readServer(valkey)
  const checkpoints = await measureCheckpoints(valkey, opened)
  const checked = await readServer(valkey)
  await eachOf(opened, ({ record }) => settle(record!))
  const settled = await readServer(valkey)
  await clear(valkey)
  const before = await readServer(valkey)
  const limited = { requestsPerMinute: 1_000_000, spendingLimit: Number.MAX_SAFE_INTEGER }
  await eachOf(asks, (ask) => admit(opening({ ...ask, key: keyLimits(limited) }, { price: PRICE })))
  const withKeys = await readServer(valkey)

  const grown = (from: ServerState, to: ServerState) => (to.usedBytes - from.usedBytes) / count
  return {
    organizationBytes: grown(empty, known),
    limitedKeyBytes: grown(before, withKeys) - grown(known, admitted),
    openRecordBytes: grown(known, checked),
    waitingRecordBytes: grown(known, settled),
    requestWireBytes: (wire(known, admitted) + wire(checked, settled)) / count,
    ...checkpoints,
  }
}

async function cycle(
  asks: readonly LimitsAsk[],
  admit: (ask: LimitsAsk) => Promise<void>,
  settle: (record: OpenedRecord) => Promise<void>,
): Promise<void> {
  await eachOf(asks, (ask) => admit({ ...ask, fresh: true }))
  await eachOf(asks, ({ record }) => settle(record!))
}

/** Removes what a worker would have posted, and what expires within five minutes. */
async function clear(valkey: Valkey): Promise<void> {
  const minute = Math.floor(Date.now() / MINUTE_MS)
  const minutes = Array.from({ length: SETTLED_MINUTES }, (_, ago) => minute - ago)
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    const { usage, settled, open, progress, running } = partitionKeys(partition)
    const old = minutes.map((each) => `${settled}${each}`)
    await valkey.call('DEL', [usage, open, progress, running, ...old])
  }
}

async function measureCheckpoints(valkey: Valkey, asks: readonly LimitsAsk[]) {
  const call = scriptCaller(valkey, CHECKPOINT)
  const first = asks[0]!
  const { open, progress, leases } = organizationKeys(first.organizationId)
  const keys = [open, progress, leases]
  const { instance, id } = first.record!
  await call({ keys, args: [instance, id, COUNTS] })
  const micros: number[] = []
  let wireBytes = 0
  for (const each of CHECKPOINTS_PER_CALL) {
    const before = await readServer(valkey)
    const args = [instance, ...Array.from({ length: each }, () => [id, COUNTS]).flat()]
    await eachOf(asks, () => call({ keys, args }))
    const after = await readServer(valkey)
    micros.push((after.cpuMicros - before.cpuMicros) / asks.length)
    if (each === 1) wireBytes = wire(before, after) / asks.length
  }
  // As a process does it, so that memory counts them too.
  await eachOf(asks, ({ organizationId, record }) => {
    const own = organizationKeys(organizationId)
    const args = [record!.instance, record!.id, COUNTS]
    return call({ keys: [own.open, own.progress, own.leases], args })
  })
  const [one, many] = CHECKPOINTS_PER_CALL
  const checkpointMicros = (micros[1]! - micros[0]!) / (many - one)
  return {
    checkpointWireBytes: wireBytes,
    checkpointMicros,
    checkpointCallMicros: micros[0]! - checkpointMicros,
  }
}

function wire(before: ServerState, after: ServerState): number {
  return after.receivedBytes + after.sentBytes - before.receivedBytes - before.sentBytes
}

async function eachOf<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
): Promise<void> {
  let begun = 0
  const work = async () => {
    while (begun < items.length) await act(items[begun++]!)
  }
  await Promise.all(Array.from({ length: OUTSTANDING }, work))
}
