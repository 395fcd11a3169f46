// What arrived, as it arrived. The page shows it and saves it as a file; nothing is sent anywhere.

/** Events kept for one request; later ones are only counted. */
const EVENTS_KEPT_MAX = 10_000
/** Their text together; events beyond it are only counted. */
const EVENT_CHARACTERS_KEPT_MAX = 8_000_000

export type EventKind =
  | 'role'
  | 'reasoning'
  | 'text'
  | 'tool'
  | 'finish'
  | 'usage'
  | 'keep-alive'
  | 'error'
  | 'done'

export type StreamEvent = {
  /** Milliseconds since the request was sent. */
  readonly at: number
  readonly kind: EventKind
  /** What it adds to the answer, shortened to a line. */
  readonly piece: string
  readonly bytes: number
  readonly padding: number
  /** The event without its padding. */
  readonly raw: string
}

export type EventLog = {
  readonly kept: readonly StreamEvent[]
  readonly count: number
  readonly paddingBytes: number
  add(event: StreamEvent): void
}

export function createEventLog(): EventLog {
  const kept: StreamEvent[] = []
  let count = 0
  let characters = 0
  let paddingBytes = 0
  return {
    kept,
    get count() {
      return count
    },
    get paddingBytes() {
      return paddingBytes
    },
    add(event) {
      count += 1
      paddingBytes += event.padding
      characters += event.raw.length
      if (kept.length < EVENTS_KEPT_MAX && characters <= EVENT_CHARACTERS_KEPT_MAX) kept.push(event)
    },
  }
}
