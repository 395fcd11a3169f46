import { crc32 } from 'node:zlib'
import type { HeartbeatPart } from './heartbeat.ts'
import type { SharedLeases } from './capacity/leases.ts'
import type { HeldCounts } from './placement/held-counts.ts'

type Reply = {
  readonly at?: number
  readonly text?: string
  /** The version of `names`. */
  readonly order?: number
  /** An empty list arrives as an empty object. */
  readonly names?: readonly string[] | Readonly<Record<string, never>>
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** The values of the digits, by their character codes. */
const VALUES = new Uint8Array(128)
for (let value = 0; value < DIGITS.length; value += 1) VALUES[DIGITS.charCodeAt(value)] = value
/** Of each engine: leased, bound, conversations; see `store/fleet/heartbeat-summary.lua`. */
const [LEASED, BOUND, HELD, LENGTH] = [0, 2, 4, 7]

/** Learns of all engines what processes lease, what may run, and which conversations they hold. */
export function shareSummary(
  leases: Pick<SharedLeases, 'learn'>,
  held: HeldCounts,
  engines: () => Iterable<string>,
): HeartbeatPart {
  let at = 0
  let order = -1
  let names: readonly string[] = []
  let isReported = false

  function learn(text: string): void {
    const totals = new Map<number, number>()
    for (const [index, name] of names.entries()) {
      const number = (from: number, to: number) =>
        readNumber(text, index * LENGTH + from, index * LENGTH + to)
      leases.learn(name, number(LEASED, BOUND), number(BOUND, HELD))
      totals.set(crc32(name), number(HELD, LENGTH))
    }
    held.arrived(totals)
  }

  return {
    report({ whole, figures }) {
      isReported = figures
      if (!figures) return undefined
      const counts = held.report(whole)
      const named = [...engines()].flatMap((name) => {
        const count = counts.get(crc32(name))
        return count === undefined ? [] : [[name, count] as const]
      })
      return { at, order, held: Object.fromEntries(named) }
    },
    accept(reply) {
      if (reply === undefined) return
      const summary = reply as Reply
      order = summary.order ?? order
      if (summary.names !== undefined) names = Object.values(summary.names)
      at = summary.at ?? at
      if (summary.text !== undefined) learn(summary.text)
      else if (isReported) held.arrived(undefined)
    },
  }
}

function readNumber(text: string, from: number, to: number): number {
  let number = 0
  for (let at = from; at < to; at += 1) number = number * 64 + VALUES[text.charCodeAt(at)]!
  return number
}
