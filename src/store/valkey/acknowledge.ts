import { isScriptMissing, scriptCommands, type ScriptCall } from './scripts.ts'
import type { Valkey } from './valkey.ts'

/** The longest wait for replicas. */
export const ACKNOWLEDGE_MS = 2_000

/**
 * The wait after one that failed: while a replica is gone, clients should not wait two seconds each
 * and calls should not pile up. Far longer than a replica takes that is there.
 */
const PROBE_MS = 100

/** Longer than the server itself waits, by what a full batch takes; see `openValkey`. */
export const ACKNOWLEDGE_TIMEOUT_MS = ACKNOWLEDGE_MS + 2_000

/**
 * Calls that share one acknowledgement: so many that even two-second waits keep pace with what a
 * process can do, and so few that they run within the timeout.
 */
const BATCH_MAX = 4_096

/** What a script returned, and whether its writes were acknowledged in time. */
export type Acknowledged = { readonly reply: unknown; readonly acknowledged: boolean }

type PendingCall = PromiseWithResolvers<Acknowledged> & {
  readonly call: ScriptCall
  isMissing: boolean
}

type NodeQueue = { pending: PendingCall[]; running: boolean; acknowledged: boolean }

/**
 * Calls a script and waits until so many replicas acknowledge its writes. Calls that arrive while
 * an acknowledgement is pending share the next one. A call that ran is never repeated only because
 * nobody acknowledged it: its result says so instead.
 *
 * The wait blocks its connection, so the connection must not be used for anything else.
 */
export function acknowledgedCaller(
  valkey: Valkey,
  script: string,
  replicas: number,
): (call: ScriptCall) => Promise<Acknowledged> {
  const commandOf = scriptCommands(script)
  const queues = new Map<string, NodeQueue>()
  const sendBatch = async (queue: NodeQueue) => {
    const batch = queue.pending.splice(0, BATCH_MAX)
    const calls = batch.map(({ call, isMissing }) => commandOf(call, isMissing))
    const waitMs = queue.acknowledged ? ACKNOWLEDGE_MS : PROBE_MS
    const commands = [...calls, ['WAIT', replicas, waitMs] as const]
    const replies = await valkey
      .pipeline(commands)
      .catch((error: unknown) => commands.map(() => error))
    const reached = replies.at(-1)
    const acknowledged = typeof reached === 'number' && reached >= replicas
    queue.acknowledged = acknowledged
    for (const [index, pending] of batch.entries()) {
      const reply = replies[index]
      if (isScriptMissing(reply)) {
        pending.isMissing = true
        queue.pending.push(pending)
      } else if (reply instanceof Error) pending.reject(reply)
      else pending.resolve({ reply, acknowledged })
    }
  }
  const run = async (queue: NodeQueue) => {
    queue.running = true
    while (queue.pending.length > 0) await sendBatch(queue)
    queue.running = false
  }
  return async (call) => {
    const node = await valkey.nodeOf(call.keys[0] ?? '')
    const queue = queues.get(node) ?? { pending: [], running: false, acknowledged: true }
    queues.set(node, queue)
    const pending = { ...Promise.withResolvers<Acknowledged>(), call, isMissing: false }
    queue.pending.push(pending)
    if (!queue.running) setImmediate(() => void (queue.running ? undefined : run(queue)))
    return pending.promise
  }
}
