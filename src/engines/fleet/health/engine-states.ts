/** What an engine is used for; `store/fleet/heartbeat-states.lua` decides it for all processes. */
export type StateName = 'ready' | 'suspect' | 'ejected' | 'trial' | 'warming' | 'misconfigured'

/** The state of an engine as it is sent: times count from now. */
export type ToldState = {
  readonly state: StateName
  readonly why: string
  /** How often it was ejected, less one for each minute without an ejection. */
  readonly level: number
  /** Checks since it was found misconfigured. */
  readonly tries: number
  /** How many generations may run on it while it warms up. */
  readonly limit: number | false
  /** Since it is in this state or, if it does not serve, since it stopped serving. */
  readonly ageMs: number
  /** Until something happens to it by itself. */
  readonly leftMs: number
  /** Since its last check. */
  readonly probedMs: number | false
}

export type CheckResult = 'passed' | 'failed' | 'refused' | 'misconfigured' | 'busy'

/** What a process sees of an engine. */
export type EngineEvent = { readonly engine: string } & (
  | { readonly kind: 'known'; readonly told: ToldState }
  | { readonly kind: 'new'; readonly slots: number }
  | { readonly kind: 'joined' | 'needed' }
  | { readonly kind: 'refused' | 'misconfigured'; readonly why: string }
  | { readonly kind: 'fault'; readonly why: string; readonly organization: string }
  | { readonly kind: 'succeeded'; readonly count: number; readonly slots: number }
  | CheckedEvent
)

export type CheckedEvent = {
  readonly kind: 'checked'
  /** `absent`: the process does not have the engine, and has checked nothing. */
  readonly result: CheckResult | 'absent'
  readonly why: string
  /** Generations that run on it besides the check. */
  readonly running: number
  readonly slots: number
  /** The engines of each of its models, so that the others can be counted when it is decided. */
  readonly pools?: readonly (readonly string[])[]
}

export type StatesReport = {
  readonly version: number
  readonly events: readonly EngineEvent[]
  readonly engines?: readonly string[]
  /** The version of the orders that the process knows. */
  readonly orders?: string
}

export type StatesReply = {
  readonly version: number
  readonly engines: Readonly<Record<string, ToldState>>
  /** Empty lists arrive as empty objects. */
  readonly checks: readonly string[] | Readonly<Record<string, never>>
  readonly changed: readonly string[] | Readonly<Record<string, never>>
  /** If they are others than the process knows. */
  readonly orders?: Readonly<Record<string, string>>
  readonly orders_version?: string
}

export function isServing({ state }: { readonly state: StateName }): boolean {
  return state === 'ready' || state === 'suspect' || state === 'warming'
}
