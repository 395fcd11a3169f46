import type { ToldAbilities } from '../../adapters/engine.ts'

/** What an engine has, and the models of each of its identities. */
export type EngineDescription = {
  readonly slots: number
  /** All models whose requests it takes. */
  readonly pools: readonly string[]
  /** The models of each identity (name, server, model name) whose requests any caller may have. */
  readonly identities: Readonly<Record<string, readonly string[]>>
  /** The models of each identity that one organization alone may have. */
  readonly reserved?: Readonly<
    Record<string, { readonly organization: string; readonly models: readonly string[] }>
  >
  /** What each identity is known to have or to lack. Only people are told of it. */
  readonly known: Readonly<Record<string, ToldAbilities>>
}

/** How often all engines are described, so that those that nobody has are forgotten. */
const DESCRIBED_MS = 60_000

/** What this process says of the engines that it has. */
export class Descriptions {
  #engines: ReadonlyMap<string, EngineDescription> = new Map()
  #texts = new Map<string, string>()
  /** What was sent of them. */
  readonly #sent = new Map<string, string>()
  #sentMs = -Infinity

  replace(engines: ReadonlyMap<string, EngineDescription>): void {
    this.#engines = engines
    this.#texts = new Map([...engines].map(([name, engine]) => [name, textOf(engine)]))
  }

  /** Reads anew what is described of an engine. */
  update(name: string): void {
    const engine = this.#engines.get(name)
    if (engine !== undefined) this.#texts.set(name, textOf(engine))
  }

  /** It is sent again, should the engine come back. */
  forget(name: string): void {
    this.#sent.delete(name)
  }

  /** Those of engines with a lease that have changed; now and then all of them. */
  take(whole: boolean, leases: ReadonlyMap<string, unknown>): Record<string, string> {
    const nowMs = performance.now()
    if (whole || nowMs >= this.#sentMs + DESCRIBED_MS) {
      this.#sent.clear()
      this.#sentMs = nowMs
    }
    const changed: Record<string, string> = {}
    for (const [name, text] of this.#texts) {
      if (this.#sent.get(name) === text || !leases.has(name)) continue
      changed[name] = text
      this.#sent.set(name, text)
    }
    return changed
  }
}

function textOf({ slots, identities, reserved, known }: EngineDescription): string {
  return JSON.stringify({ slots, identities, reserved, known })
}
