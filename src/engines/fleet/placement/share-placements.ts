import type { BeatPart } from '../beat.ts'
import type { Exception, Placements } from './placements.ts'

type Reply = {
  /** Exceptions of all processes, in the order in which they were shared. */
  readonly exceptions: string
  /** The number of the last of them. */
  readonly at: number
  /** How many more there are. */
  readonly more: number
  /** Conversations held by each engine, if that changed, and the version of it. */
  readonly held?: Readonly<Record<string, number>>
  readonly held_version: number
}

/** The rest follows with the next beats. */
const SENT_MAX = 250
/** Two hashes and an empty byte, so that each exception is 12 characters of base64. */
const BYTES = 9

/** Tells other processes where conversations are, and learns it from them. */
export function sharePlacements(
  placements: Placements,
  now: () => number = () => performance.now(),
): BeatPart {
  let after = 0
  let version = -1
  let more = 0
  let sent: readonly Exception[] = []
  return {
    get isUrgent() {
      return more > 0
    },
    report(all) {
      // After a failed beat those of the last one are still there. Sharing one twice is harmless.
      sent = [...sent, ...placements.takeExceptions(SENT_MAX - sent.length)]
      const held = placements.held.report(all)
      return { exceptions: encode(sent), after, held, held_version: version }
    },
    accept(reply) {
      const { exceptions, at, held, ...rest } = reply as Reply
      sent = []
      after = at
      more = rest.more
      version = rest.held_version
      placements.held.arrived(held)
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
