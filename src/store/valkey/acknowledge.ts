import { ValkeyUnavailable } from './valkey.ts'
import { isScriptMissing, scriptCommands } from './scripts.ts'
import type { ScriptCall } from './scripts.ts'
import type { Valkey, ValkeyCommand } from './valkey.ts'

/** How many replicas must have a write, and whether it must be on disk. */
export type Acknowledgement = { readonly replicas: number; readonly aof: boolean }

/** A server that writes to disk every second takes up to two for it. */
const ACKNOWLEDGE_MS = 2_000

/** Longer than the server itself waits; see `openValkey`. */
export const ACKNOWLEDGE_TIMEOUT_MS = ACKNOWLEDGE_MS + 1_000

/** Calls that share one acknowledgement. */
const BATCH_MAX = 256

type PendingCall = PromiseWithResolvers<unknown> & {
  readonly call: ScriptCall
  isMissing: boolean
}

type NodeQueue = { pending: PendingCall[]; running: boolean }

/**
 * Calls a script and waits until its writes are acknowledged. Calls that arrive while an
 * acknowledgement is pending share the next one. Throws `ValkeyUnavailable` on timeout; the script
 * may have run then, so it must be safe to run twice.
 *
 * The wait blocks its connection, so the connection must not be used for anything else.
 */
export function acknowledgedCaller(
  valkey: Valkey,
  script: string,
  acknowledgement: Acknowledgement,
): (call: ScriptCall) => Promise<unknown> {
  const commandOf = scriptCommands(script)
  const queues = new Map<string, NodeQueue>()
  const sendBatch = async (queue: NodeQueue) => {
    const batch = queue.pending.splice(0, BATCH_MAX)
    const calls = batch.map(({ call, isMissing }) => commandOf(call, isMissing))
    const commands = [...calls, waitCommand(acknowledgement)]
    const replies = await valkey
      .pipeline(commands)
      .catch((error: unknown) => commands.map(() => error))
    const acknowledged = isAcknowledged(replies.at(-1), acknowledgement)
    for (const [index, pending] of batch.entries()) {
      const reply = replies[index]
      if (isScriptMissing(reply)) {
        pending.isMissing = true
        queue.pending.push(pending)
      } else if (reply instanceof Error) pending.reject(reply)
      else if (acknowledged) pending.resolve(reply)
      else pending.reject(new ValkeyUnavailable('a write was not acknowledged in time'))
    }
  }
  const run = async (queue: NodeQueue) => {
    queue.running = true
    while (queue.pending.length > 0) await sendBatch(queue)
    queue.running = false
  }
  return async (call) => {
    const node = await valkey.nodeOf(call.keys[0] ?? '')
    const queue = queues.get(node) ?? { pending: [], running: false }
    queues.set(node, queue)
    const pending = { ...Promise.withResolvers<unknown>(), call, isMissing: false }
    queue.pending.push(pending)
    if (!queue.running) setImmediate(() => void (queue.running ? undefined : run(queue)))
    return pending.promise
  }
}

function waitCommand({ replicas, aof }: Acknowledgement): ValkeyCommand {
  return aof ? ['WAITAOF', 1, replicas, ACKNOWLEDGE_MS] : ['WAIT', replicas, ACKNOWLEDGE_MS]
}

function isAcknowledged(reply: unknown, { replicas, aof }: Acknowledgement): boolean {
  if (!aof) return typeof reply === 'number' && reply >= replicas
  if (!Array.isArray(reply)) return false
  const [onDisk = 0, onReplicas = 0] = reply as number[]
  return onDisk >= 1 && onReplicas >= replicas
}
