import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Order, Report, Script } from './engine-process.ts'

/** Scripted engines in a process of their own, and what they have seen. */
export type Engines = AsyncDisposable & {
  readonly urls: readonly string[]
  /** The engines that got a prompt, in turn. */
  seenBy(id: string): readonly number[]
  /** When the engine's end of a generation was closed before it was finished. */
  leftAtMs(id: string): number | undefined
  deathsBy(id: string): number
  readonly deaths: number
  kill(engine: number): Promise<void>
  revive(engine: number): Promise<void>
  isDead(engine: number): boolean
  /** Lets everything finish that an engine holds. */
  release(engine: number): void
  /** Resolves when the condition holds; it is looked at after every report. */
  until(condition: () => boolean, timeoutMs: number): Promise<boolean>
}

const PROGRAM = new URL('engine-process.ts', import.meta.url)

export async function startEngines(count: number): Promise<Engines> {
  const child = fork(PROGRAM)
  const seen = new Map<string, number[]>()
  const left = new Map<string, number>()
  const died = new Map<string, number>()
  const ports: number[] = []
  const dead = new Set<number>()
  let deaths = 0
  const listeners = new Set<() => void>()
  child.on('message', (message) => {
    const told = message as Report
    if (told.report === 'seen') seen.set(told.id, [...(seen.get(told.id) ?? []), told.engine])
    else if (told.report === 'left') left.set(told.id, told.atMs)
    else if (told.report === 'open') {
      ports[told.engine] = told.port
      dead.delete(told.engine)
    } else {
      deaths += 1
      dead.add(told.engine)
      died.set(told.id, (died.get(told.id) ?? 0) + 1)
    }
    for (const look of listeners) look()
  })
  const order = (given: Order) => void child.send(given)
  const until = async (condition: () => boolean, timeoutMs: number) => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const look = () => {
      if (condition()) resolve(true)
    }
    const timeout = setTimeout(() => resolve(false), timeoutMs)
    listeners.add(look)
    look()
    const held = await promise
    clearTimeout(timeout)
    listeners.delete(look)
    return held
  }
  for (let engine = 0; engine < count; engine += 1) order({ order: 'open', engine })
  if (!(await until(() => ports.filter(Boolean).length === count, 20_000)))
    throw new Error('the scripted engines did not open')
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    seenBy: (id) => seen.get(id) ?? [],
    leftAtMs: (id) => left.get(id),
    deathsBy: (id) => died.get(id) ?? 0,
    get deaths() {
      return deaths
    },
    async kill(engine) {
      order({ order: 'kill', engine })
      await until(() => dead.has(engine), 10_000)
    },
    async revive(engine) {
      order({ order: 'revive', engine })
      await until(() => !dead.has(engine), 10_000)
    },
    isDead: (engine) => dead.has(engine),
    release: (engine) => order({ order: 'release', engine }),
    until,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

/** A request whose prompt tells a scripted engine what to do. */
export function scripted(model: string, script: Script, stream = true): object {
  return { model, stream, messages: [{ role: 'user', content: JSON.stringify(script) }] }
}
