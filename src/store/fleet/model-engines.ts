import { fleetKey } from '../valkey/keys.ts'
import { parseHash } from '../valkey/parse-hash.ts'
import { readScript, scriptCaller } from '../valkey/scripts.ts'
import { ValkeyUnavailable, type Valkey } from '../valkey/valkey.ts'

const READ_SCRIPT = readScript(import.meta.url, 'read-engines.lua')

/** A process that was silent for so long is gone; as in `heartbeat.lua`. */
const SILENT_MS = 5_000
/** So long what was read is used for all organizations. */
const READ_MS = 2_000

const SERVING: ReadonlySet<string> = new Set(['ready', 'suspect', 'warming'])

type Known = {
  readonly [ability in 'tool_choice' | 'json_schema' | 'reasoning']?: boolean | undefined
}

/** An engine that can serve a model, as the processes of its fleet know it together. */
export type ModelEngine = {
  readonly name: string
  readonly slots: number
  /** The only organization that it serves; null: it serves all. */
  readonly organization: string | null
  /** Whether requests are sent to it; null if no process has told. */
  readonly serves: boolean | null
  /** When it stopped serving; null if it serves, or an operator keeps it out. */
  readonly outSinceMs: number | null
  /** What it is known to have, or to lack. */
  readonly known: Known
}

/** The engines of one model, and whether a request for it waits because no slot is free. */
export type ModelEngines = {
  readonly engines: readonly ModelEngine[]
  readonly isWaitedFor: boolean
}

/** By model. Undefined if nothing is known: no process was heard, or Valkey cannot be asked. */
export type EnginesOfModels = ReadonlyMap<string, ModelEngines> | undefined

/** What processes store of an engine under its name; see `describeMembers`. */
type Described = {
  readonly slots: number
  readonly identities: Readonly<Record<string, readonly string[]>>
  readonly reserved?: Readonly<
    Record<string, { readonly organization: string; readonly models: readonly string[] }>
  >
  readonly known: Readonly<Record<string, Known>>
}
type State = { readonly state: string; readonly out: number | false }
type Hash = readonly string[]
type Reply = readonly [string, number, number, Hash, Hash, Hash, readonly string[]]

/** Reads the engines of a fleet, at most once in 2 s, however many ask. */
export function openModelEngines(
  valkey: Pick<Valkey, 'call'>,
): (fleet: string) => Promise<EnginesOfModels> {
  const call = scriptCaller(valkey, READ_SCRIPT)
  let last: { fleet: string; atMs: number; read: Promise<EnginesOfModels> } | undefined
  async function read(fleet: string): Promise<EnginesOfModels> {
    try {
      return parseEngines((await call({ keys: [fleetKey(fleet, '')], args: [] })) as Reply)
    } catch (error) {
      if (error instanceof ValkeyUnavailable) return undefined
      throw error
    }
  }
  return (fleet) => {
    const nowMs = performance.now()
    if (last === undefined || last.fleet !== fleet || nowMs - last.atMs >= READ_MS)
      last = { fleet, atMs: nowMs, read: read(fleet) }
    return last.read
  }
}

function parseEngines(reply: Reply): EnginesOfModels {
  const [now, age, settling, described, states, orders, waiting] = reply
  if (age < 0 || age > SILENT_MS || settling === 1) return undefined
  const stateOf = parseHash(states)
  const ordered = parseHash(orders)
  const waitedFor = new Set(waiting)
  const known = new Map<string, { engines: ModelEngine[]; isWaitedFor: boolean }>()
  const add = (models: readonly string[], engine: ModelEngine) => {
    for (const model of models) {
      const of = known.get(model) ?? { engines: [], isWaitedFor: waitedFor.has(model) }
      of.engines.push(engine)
      known.set(model, of)
    }
  }
  for (const [name, text] of parseHash(described)) {
    const { slots, identities, reserved = {}, known: abilities } = JSON.parse(text) as Described
    for (const [identity, models] of Object.entries(identities)) {
      const state = ordered.has(name)
        ? { serves: false, outSinceMs: null }
        : parseState(stateOf.get(identity), Number(now))
      const engine = { name, slots, ...state, known: abilities[identity] ?? {} }
      add(models, { ...engine, organization: null })
      const { organization = null, models: own = [] } = reserved[identity] ?? {}
      add(own, { ...engine, organization })
    }
  }
  return known
}

function parseState(
  text: string | undefined,
  nowMs: number,
): Pick<ModelEngine, 'serves' | 'outSinceMs'> {
  if (text === undefined) return { serves: null, outSinceMs: null }
  const { state, out } = JSON.parse(text) as State
  // A time that is ahead was written before the clock went back.
  return { serves: SERVING.has(state), outSinceMs: out === false ? null : Math.min(out, nowMs) }
}
