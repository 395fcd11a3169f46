import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { traceError, type Log } from '../../lib/log.ts'
import { engineSlotsKey, engineUsersKey, ENGINE_REGISTRATIONS } from './keys.ts'
import { readScript, scriptCaller, type ScriptCall } from './scripts.ts'
import { ValkeyUnavailable, type Valkey } from './valkey.ts'

/**
 * The processes that use the same engines. Each registers every second; an entry lives for a few
 * seconds. A process that is told that it is alone may rely on it until its own clock has passed
 * the lifetime of that entry. Any other waits that long before it uses the engine.
 */
export type EngineUsers = AsyncDisposable & {
  /** The name of this process. */
  readonly instance: string
  /**
   * - `alone`: no other process uses the engine
   * - `shared`: others may use it, and none of them believes that it is alone
   * - `closed`: another one could believe that
   */
  accessTo(engine: string): 'alone' | 'shared' | 'closed'
  /** Changes when the process is alone again after others may have used the engine. */
  periodOf(engine: string): number
  /** Registers, and waits until the engines may be used; but not for an unavailable Valkey. */
  join(): Promise<void>
  /** Registers for these engines from now on. A new one is closed until that is done. */
  change(engines: readonly string[]): void
}

type State = { aloneUntilMs: number; openAtMs: number; period: number }

const SCRIPT = readScript(import.meta.url, 'engine-users.lua')
const INTERVAL_MS = 1_000
/** Three lost calls, or a busy process, do not end the registration. */
const LIFETIME_MS = 4_000
const CONNECT_MS = 1_000

export function openEngineUsers(
  valkey: Pick<Valkey, 'call' | 'connected'>,
  engines: readonly string[],
  log: Log,
  now: () => number = () => performance.now(),
): EngineUsers {
  const registration = new Registration(scriptCaller(valkey, SCRIPT), engines, now)
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  const renew = async () => {
    try {
      await registration.renew()
    } catch (error) {
      // The registration ends by itself, and with it the use of the engines.
      if (!(error instanceof ValkeyUnavailable))
        log.error({ error: traceError(error) }, 'registration of engines failed')
    }
  }
  const renewOnce = () => (running ??= renew().finally(() => (running = undefined)))
  return {
    instance: registration.instance,
    accessTo: (engine) => registration.accessTo(engine),
    periodOf: (engine) => registration.periodOf(engine),
    async join() {
      if (!registration.isEmpty) await valkey.connected(CONNECT_MS).catch(() => undefined)
      await renewOnce()
      timer = setInterval(() => void renewOnce(), INTERVAL_MS).unref()
      // A timer may fire a millisecond early, and a renewal may move the moment.
      for (let waitMs = registration.waitMs(); waitMs > 0; waitMs = registration.waitMs())
        await pause(Math.ceil(waitMs))
    },
    change(next) {
      registration.change(next)
      if (timer !== undefined) void Promise.resolve(running).then(renewOnce)
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await running
      const names = [registration.instance, `alone:${registration.instance}`]
      const leave = (key: string) => valkey.call('ZREM', [key, ...names]).catch(() => undefined)
      await Promise.all(registration.engines.map(engineUsersKey).map(leave))
    },
  }
}

class Registration {
  readonly instance = randomUUID()
  #keys: readonly string[]
  readonly #evaluate: (call: ScriptCall) => Promise<unknown>
  #states: ReadonlyMap<string, State>
  readonly #now: () => number
  /** When the last successful call was sent. */
  #sentMs = -Infinity
  /** Since when there was no gap; undefined before the first successful call. */
  #sinceMs: number | undefined

  constructor(
    evaluate: (call: ScriptCall) => Promise<unknown>,
    engines: readonly string[],
    now: () => number,
  ) {
    this.#evaluate = evaluate
    this.#now = now
    this.#keys = []
    this.#states = new Map()
    this.change(engines)
  }

  get engines(): readonly string[] {
    return [...this.#states.keys()]
  }

  get isEmpty(): boolean {
    return this.#states.size === 0
  }

  /** An engine that is not among them any more is left to expire. */
  change(engines: readonly string[]): void {
    const before = this.#states
    const keys = engines.flatMap((engine) => [engineUsersKey(engine), engineSlotsKey(engine)])
    this.#keys = [ENGINE_REGISTRATIONS, ...keys]
    const closed = { aloneUntilMs: 0, openAtMs: Infinity, period: 0 }
    this.#states = new Map(engines.map((engine) => [engine, before.get(engine) ?? { ...closed }]))
  }

  async renew(): Promise<void> {
    const sentMs = this.#now()
    // After a gap others may register as well, and the first of them is not alone.
    const eligible = this.#sinceMs === undefined || sentMs - this.#sinceMs >= LIFETIME_MS
    const states = [...this.#states.values()]
    if (states.length === 0) return
    const used = [...this.#states.keys()].map((engine) => this.accessTo(engine) !== 'closed')
    const args = [this.instance, LIFETIME_MS, eligible ? 1 : 0, ...used.map(Number)]
    const reply = (await this.#evaluate({ keys: this.#keys, args })) as number[]
    const repliedMs = this.#now()
    const isFirst = this.#sinceMs === undefined
    if (this.#sinceMs === undefined) this.#sinceMs = -Infinity
    else if (repliedMs - this.#sentMs >= LIFETIME_MS) this.#sinceMs = repliedMs
    this.#sentMs = sentMs
    for (const [index, state] of states.entries()) {
      const [alone, waitMs = LIFETIME_MS] = reply.slice(2 * index)
      if (alone === 1 && repliedMs >= state.aloneUntilMs && !isFirst) state.period += 1
      state.aloneUntilMs = alone === 1 ? sentMs + LIFETIME_MS : 0
      state.openAtMs = repliedMs + waitMs
    }
  }

  accessTo(engine: string): 'alone' | 'shared' | 'closed' {
    const state = this.#states.get(engine)
    // Only engines whose users must know of each other are registered.
    if (state === undefined) return 'shared'
    const nowMs = this.#now()
    if (nowMs >= this.#sentMs + LIFETIME_MS || nowMs < state.openAtMs) return 'closed'
    return nowMs < state.aloneUntilMs ? 'alone' : 'shared'
  }

  periodOf(engine: string): number {
    return this.#states.get(engine)?.period ?? 0
  }

  /** Until every engine may be used; 0 if Valkey did not say when. */
  waitMs(): number {
    const openAtMs = Math.max(...[...this.#states.values()].map((state) => state.openAtMs))
    return openAtMs < Infinity ? Math.max(0, openAtMs - this.#now()) : 0
  }
}
