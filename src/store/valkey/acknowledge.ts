import { createHash } from 'node:crypto'
import { ValkeyUnavailable, ValkeyRefusal } from './valkey.ts'
import type { ScriptCall } from './scripts.ts'
import type { Valkey, ValkeyCommand } from './valkey.ts'

/** How many replicas must have a write, and whether it must be on disk. */
export type Acknowledgement = { readonly replicas: number; readonly aof: boolean }

/** A server that writes to disk every second takes up to two for it. */
const ACKNOWLEDGE_MS = 2_000

/** Beyond what the server itself waits; see `openValkey`. */
export const ACKNOWLEDGE_TIMEOUT_MS = ACKNOWLEDGE_MS + 1_000

/** Calls that share one acknowledgement. */
const GROUP_MAX = 256

type Waiting = PromiseWithResolvers<unknown> & { readonly call: ScriptCall; whole: boolean }

type Place = { waiting: Waiting[]; running: boolean }

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
  const digest = createHash('sha1').update(script).digest('hex')
  const places = new Map<string, Place>()
  const commandOf = ({ call: { keys, args }, whole }: Waiting): ValkeyCommand =>
    whole
      ? ['EVAL', script, keys.length, ...keys, ...args]
      : ['EVALSHA', digest, keys.length, ...keys, ...args]
  const sendGroup = async (place: Place) => {
    const group = place.waiting.splice(0, GROUP_MAX)
    const commands = [...group.map(commandOf), waitCommand(acknowledgement)]
    const answers = await valkey
      .callTogether(commands)
      .catch((error: unknown) => commands.map(() => error))
    const acknowledged = isAcknowledged(answers.at(-1), acknowledgement)
    for (const [index, waiting] of group.entries()) {
      const answer = answers[index]
      if (answer instanceof ValkeyRefusal && answer.code === 'NOSCRIPT') {
        waiting.whole = true
        place.waiting.push(waiting)
      } else if (answer instanceof Error) waiting.reject(answer)
      else if (acknowledged) waiting.resolve(answer)
      else waiting.reject(new ValkeyUnavailable('a write was not acknowledged in time'))
    }
  }
  const run = async (place: Place) => {
    place.running = true
    while (place.waiting.length > 0) await sendGroup(place)
    place.running = false
  }
  return async (call) => {
    const name = await valkey.placeOf(call.keys[0] ?? '')
    const place = places.get(name) ?? { waiting: [], running: false }
    places.set(name, place)
    const waiting = { ...Promise.withResolvers<unknown>(), call, whole: false }
    place.waiting.push(waiting)
    if (!place.running) setImmediate(() => void (place.running ? undefined : run(place)))
    return waiting.promise
  }
}

function waitCommand({ replicas, aof }: Acknowledgement): ValkeyCommand {
  return aof ? ['WAITAOF', 1, replicas, ACKNOWLEDGE_MS] : ['WAIT', replicas, ACKNOWLEDGE_MS]
}

function isAcknowledged(answer: unknown, { replicas, aof }: Acknowledgement): boolean {
  if (!aof) return typeof answer === 'number' && answer >= replicas
  if (!Array.isArray(answer)) return false
  const [onDisk = 0, onReplicas = 0] = answer as number[]
  return onDisk >= 1 && onReplicas >= replicas
}
