import type { HeartbeatPart } from '../heartbeat.ts'
import type { Exception, Placements } from './placements.ts'

type Reply = {
  /** Exceptions of all processes, in the order in which they were shared. */
  readonly exceptions: string
  /** The number of the last of them. */
  readonly at: number
  /** How many more there are. */
  readonly more: number
}

/** The rest follows with the next heartbeats. */
const SENT_MAX = 250
/** Two hashes and an empty byte, so that each exception is 12 characters of base64. */
const BYTES = 9

/** Tells other processes where conversations are, and learns it from them. */
export function sharePlacements(
  placements: Placements,
  now: () => number = () => performance.now(),
): HeartbeatPart {
  let after = 0
  let more = 0
  let sent: readonly Exception[] = []
  return {
    get isUrgent() {
      return more > 0
    },
    report({ figures }) {
      if (!figures) return undefined
      // After a failure those of the last report are still there. Sharing one twice is harmless.
      sent = [...sent, ...placements.takeExceptions(SENT_MAX - sent.length)]
      return { exceptions: encode(sent), after }
    },
    accept(reply) {
      if (reply === undefined) return
      const { exceptions, at, more: further } = reply as Reply
      sent = []
      after = at
      more = further
      const nowMs = now()
      for (const exception of decode(exceptions)) placements.learn(exception, nowMs)
    },
  }
}

function encode(exceptions: readonly Exception[]): string {
  const bytes = Buffer.alloc(exceptions.length * BYTES)
  for (const [index, [conversation, seed]] of exceptions.entries()) {
    bytes.writeUInt32LE(conversation, index * BYTES)
    bytes.writeUInt32LE(seed, index * BYTES + 4)
  }
  return bytes.toString('base64')
}

function decode(text: string): Exception[] {
  const bytes = Buffer.from(text, 'base64')
  return Array.from({ length: Math.floor(bytes.length / BYTES) }, (_, index) => {
    return [bytes.readUInt32LE(index * BYTES), bytes.readUInt32LE(index * BYTES + 4)]
  })
}
