import { setTimeout as pause } from 'node:timers/promises'
import { traceError, type Log } from '../../../lib/log.ts'
import { EngineError, type Engine } from '../../adapters/engine.ts'
import type { HeartbeatPart } from '../heartbeat.ts'
import { createEngineCapacity, type EngineCapacity } from './engine-capacity.ts'

/** Controls the capacity of the engines that this process watches. */
export type CapacityControl = {
  readonly part: HeartbeatPart
  /** Reads the load of engines until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}

export type Controlled = Pick<Engine, 'name' | 'slots' | 'readLoad'>

type Control = {
  readonly capacity: EngineCapacity
  /** What the other processes know. */
  told: number
}

const INTERVAL_MS = 500
/** An engine that reads a long prompt may answer late. */
const TIMEOUT_MS = 5_000

/**
 * `engines` are all engines, each name once; `watches` tells which of them this process watches.
 * Every engine has one controller in the fleet. The one that takes over goes on with the capacity
 * that was found before; see `store/fleet/heartbeat-capacity.lua`.
 */
export function controlCapacity(
  engines: () => Iterable<Controlled>,
  watches: (engine: string) => boolean,
  log: Log,
): CapacityControl {
  const controls = new Map<string, Control>()
  const reading = new Set<string>()
  /** Engines whose load could not be read; each is logged once. */
  const unreadable = new Set<string>()
  const watched = () => [...engines()].filter(({ name }) => watches(name))

  async function read(engine: Controlled, { capacity }: Control): Promise<void> {
    const { name } = engine
    if (reading.has(name)) return
    reading.add(name)
    try {
      capacity.read(await engine.readLoad(AbortSignal.timeout(TIMEOUT_MS)))
      unreadable.delete(name)
    } catch (error) {
      capacity.missed()
      if (!(error instanceof EngineError) && !(error instanceof DOMException))
        log.error({ engine: name, error: traceError(error) }, 'engine load check failed')
      else if (!unreadable.has(name)) {
        unreadable.add(name)
        log.info({ engine: name }, 'engine load unreadable, keeping its capacity')
      }
    } finally {
      reading.delete(name)
    }
  }

  return {
    part: {
      report({ whole, figures }) {
        if (!figures) return undefined
        const own = new Map(watched().map((engine) => [engine.name, engine]))
        for (const name of controls.keys()) if (!own.has(name)) controls.delete(name)
        const ask = [...own.keys()].filter((name) => !controls.has(name))
        const found: Record<string, number> = {}
        for (const [name, control] of controls) {
          const { value } = control.capacity
          if (value === control.told && !whole) continue
          control.told = value
          // Without a bound the configured slots count, also after they were changed.
          found[name] = value < (own.get(name)?.slots ?? Infinity) ? value : 0
        }
        return { ask, found }
      },
      accept(reply) {
        const found = (reply ?? {}) as Readonly<Record<string, number>>
        for (const { name, slots } of watched()) {
          const value = found[name]
          if (value === undefined || controls.has(name)) continue
          const capacity = createEngineCapacity(slots, value === 0 ? slots : value)
          controls.set(name, { capacity, told: capacity.value })
        }
      },
    },
    async run(signal) {
      while (!signal.aborted) {
        for (const engine of watched()) {
          const control = controls.get(engine.name)
          if (control !== undefined) void read(engine, control)
        }
        await pause(INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined)
      }
    },
  }
}
