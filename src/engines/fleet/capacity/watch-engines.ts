import type { HeartbeatPart } from '../heartbeat.ts'

/** Divides among the processes what one process does for an engine. */
export type EngineWatch = {
  readonly part: HeartbeatPart
  /** Whether this process is the one that watches the engine. */
  watches(engine: string): boolean
}

/** As long as an election lasts; see `store/fleet/heartbeat-watch.lua`. */
const ELECTED_MS = 2_000

/**
 * Each process stands for about its share of the engines and one more, so that all engines are
 * watched when the share is a fraction. While it watches fewer it stands for others in turn, since
 * it cannot know which are watched.
 */
export function watchEngines(
  engines: () => readonly string[],
  processes: () => number,
  now: () => number = () => performance.now(),
): EngineWatch {
  const electedUntilMs = new Map<string, number>()
  /** Another start for each process, so that they do not all stand for the same engines. */
  let turn = Math.floor(Math.random() * 2 ** 31)
  let reportedMs = -Infinity

  const watches = (engine: string) => now() < (electedUntilMs.get(engine) ?? -Infinity)

  return {
    watches,
    part: {
      report({ figures }) {
        if (!figures) return undefined
        reportedMs = now()
        const all = engines()
        const most = Math.floor(all.length / Math.max(1, processes())) + 1
        const own = all.filter(watches).slice(0, most)
        const candidates = new Set(own)
        for (let tried = 0; tried < all.length && candidates.size < most; tried += 1) {
          turn += 1
          candidates.add(all[turn % all.length] ?? '')
        }
        return [...candidates]
      },
      accept(reply) {
        if (reply === undefined) return
        electedUntilMs.clear()
        for (const engine of Object.keys(reply as object))
          electedUntilMs.set(engine, reportedMs + ELECTED_MS)
      },
    },
  }
}
