// The calls of the proof, which aim at the places where off-by-one errors are likely.
import { BILLINGS, type Funds } from '../../../src/tenancy/funds.ts'
import type { KeyLimits } from '../../../src/tenancy/key-limits.ts'
import {
  LIMIT_MAX,
  type ConcurrencyLimits,
  type LimitsAsk,
  type LimitsDecision,
  type RateLimits,
} from '../../../src/tenancy/rate-limits.ts'
import type { Random } from '../../harness/figures/random.ts'
import type { LimitsModel } from './model.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const AMOUNT_MAX = 2 ** 50
const PROJECTS = ['one', 'two'] as const
/** The first two keys replace each other: they count the same limits. */
export const KEY_IDS = ['shared', 'own'] as const
export const MODELS = ['a/b', 'c'] as const
const CREDENTIALS = ['one', 'two', 'three'] as const
const API_KEYS = ['shared', 'shared', 'own'] as const

/** What the calls of one scenario have in common; it changes between them. */
export type Scenario = {
  readonly random: Random
  nowMs: number
  version: number
  limits: RateLimits
  concurrency: ConcurrencyLimits
  money: Money
  keyLimits: readonly OwnLimits[]
}

type OwnLimits = Pick<KeyLimits, 'requestsPerMinute' | 'spendingLimit'>

type Money = Pick<Funds, 'billing' | 'granted' | 'spent'> & {
  readonly projects: Readonly<Record<string, Pick<Funds, 'spendingLimit' | 'projectSpent'>>>
}

function chooseLimit(random: Random): number {
  const max = random.pick([0, 1, 5, 100, 100, 10_000, 1_000_000, LIMIT_MAX, LIMIT_MAX])
  return random.chance(0.2) ? max : random.between(Math.min(1, max), max)
}

function chooseLimits(random: Random): RateLimits {
  const roomy = random.chance(0.5)
  const day = () => (roomy && random.chance(0.7) ? LIMIT_MAX : chooseLimit(random))
  return {
    requestsPerMinute: roomy && random.chance(0.3) ? 1000 : chooseLimit(random),
    requestsPerDay: day(),
    tokensPerMinute: chooseLimit(random),
    tokensPerDay: day(),
  }
}

function chooseConcurrency(random: Random): ConcurrencyLimits {
  const choose = () => (random.chance(0.6) ? null : random.pick([1, 2, 5, 20]))
  const ofModels = MODELS.map((id) => [id, choose()] as const)
  const models = new Map(ofModels.flatMap(([id, most]) => (most === null ? [] : [[id, most]])))
  return { organization: choose(), key: choose(), models }
}

function chooseAmount(random: Random): number {
  return random.between(0, random.pick([0, 1, 10, 1000, 1000, 1_000_000, AMOUNT_MAX]))
}

function chooseMoney(random: Random): Money {
  const granted = chooseAmount(random) * (random.chance(0.05) ? -1 : 1)
  const project = () => ({
    spendingLimit: random.chance(0.5) ? null : chooseAmount(random),
    projectSpent: random.chance(0.5) ? 0 : chooseAmount(random),
  })
  return {
    billing: random.pick(BILLINGS),
    granted,
    spent: random.chance(0.5) ? 0 : random.between(0, Math.abs(granted)),
    projects: Object.fromEntries(PROJECTS.map((id) => [id, project()])),
  }
}

function chooseKeyLimits(random: Random): OwnLimits[] {
  return KEY_IDS.map(() => ({
    requestsPerMinute: random.chance(0.5) ? null : random.pick([0, 1, 2, 7, 60, 1000, LIMIT_MAX]),
    spendingLimit: random.chance(0.5) ? null : chooseAmount(random),
  }))
}

/** The keys as identities of one moment have them; null for one that nothing limits. */
function chooseKeys({ random, nowMs, keyLimits }: Scenario): (KeyLimits | null)[] {
  const aside = random.chance(0.8) ? 0 : random.pick([-40, -1, 1, 40]) * DAY_MS
  const month = Number(new Date(nowMs + aside).toISOString().slice(0, 7).replace('-', ''))
  const spent = KEY_IDS.map(() => (random.chance(0.5) ? 0 : chooseAmount(random)))
  return API_KEYS.map((id) => {
    const at = KEY_IDS.indexOf(id)
    const own = keyLimits[at]!
    const expiresAtMs = random.chance(0.8) ? null : nowMs + random.pick([-DAY_MS, 0, 1, DAY_MS])
    if (expiresAtMs === null && random.chance(0.05)) return null
    const limits = { id, expiresAtMs, ...own, month }
    return { ...limits, spent: own.spendingLimit === null ? 0 : spent[at]! }
  })
}

export function startScenario(random: Random): Scenario {
  const midnight = random.between(20_000, 60_000) * DAY_MS
  const nearMidnight = random.chance(0.5)
  return {
    random,
    nowMs: midnight + (nearMidnight ? random.between(-90_000, 90_000) : random.between(0, DAY_MS)),
    version: random.between(1, 5),
    limits: chooseLimits(random),
    concurrency: chooseConcurrency(random),
    money: chooseMoney(random),
    keyLimits: chooseKeyLimits(random),
  }
}

function moveClock(scenario: Scenario): void {
  const { random, nowMs } = scenario
  const midnight = Math.round(nowMs / DAY_MS) * DAY_MS
  const kind = random.between(0, 99)
  if (kind < 40) return
  if (random.chance(0.02)) {
    // A clock that jumps by weeks, and one that stays within or just beyond the minute it may.
    const daysMs = random.between(-45, 45) * DAY_MS
    scenario.nowMs += random.chance(0.5) ? daysMs : -MINUTE_MS + random.between(-3, 3)
    return
  }
  if (random.chance(0.05)) {
    // To the milliseconds around the change of a month, in either direction.
    const month = new Date(nowMs)
    scenario.nowMs =
      Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + random.between(0, 1)) +
      random.between(-2, 2)
    return
  }
  if (kind < 65) scenario.nowMs += random.between(0, 50)
  else if (kind < 83) scenario.nowMs += random.between(0, 70_000)
  else if (kind < 88) scenario.nowMs -= random.between(0, 100_000)
  else if (kind < 90) scenario.nowMs -= random.between(0, 2 * DAY_MS)
  else if (kind < 92) scenario.nowMs += random.between(0, 2 * DAY_MS)
  else scenario.nowMs = midnight + random.between(-2, 2)
}

function chooseTokens(
  random: Random,
  limits: RateLimits,
  last: LimitsDecision | undefined,
): number {
  const kind = random.between(0, 9)
  if (kind < 2) return 0
  if (kind < 3) return random.between(0, 3)
  const limit = random.chance(0.8) ? limits.tokensPerMinute : limits.tokensPerDay
  if (kind < 7) return Math.floor(limit / random.between(1, 20))
  if (kind < 8) return Math.max(0, limit + random.between(-1, 1))
  if (kind < 9 && last !== undefined && 'capacities' in last) {
    const name = random.pick(['tokensPerMinute', 'tokensPerDay'] as const)
    return Math.max(0, last.capacities[name].remaining + random.between(-1, 1))
  }
  return random.chance(0.1) ? Number.MAX_SAFE_INTEGER : random.between(0, limit)
}

function chooseReserve(random: Random, left: readonly number[]): number {
  const kind = random.between(0, 9)
  if (kind < 2) return 0
  if (kind < 5) return Math.max(0, random.pick(left) + random.between(-1, 1))
  if (kind < 8) return Math.max(0, Math.floor(random.pick(left) / random.between(2, 20)))
  return chooseAmount(random)
}

/** The next call; `last` and the model let it aim at what is left. */
export function nextAsks(
  scenario: Scenario,
  step: number,
  last: LimitsDecision | undefined,
  model: LimitsModel,
): LimitsAsk[] {
  const { random } = scenario
  moveClock(scenario)
  if (random.chance(0.03)) scenario.limits = chooseLimits(random)
  if (random.chance(0.05)) scenario.money = chooseMoney(random)
  if (random.chance(0.05)) scenario.keyLimits = chooseKeyLimits(random)
  if (random.chance(0.05)) scenario.version = Math.max(0, scenario.version + random.between(-1, 2))
  const fresh = random.chance(step === 0 ? 0.9 : 0.1)
  const keys = chooseKeys(scenario)
  const count = random.chance(0.8) ? 1 : random.between(1, 8)
  return Array.from({ length: count }, (_, index) => {
    const id = random.chance(0.05) && step > 0 ? `${random.between(0, step)}/0` : `${step}/${index}`
    const key = random.chance(0.3) ? null : random.pick(keys)
    return askOf(scenario, { id, fresh, key }, last, model)
  })
}

function askOf(
  { random, limits, concurrency, version, money }: Scenario,
  { id, fresh, key }: { id: string; fresh: boolean; key: KeyLimits | null },
  last: LimitsDecision | undefined,
  model: LimitsModel,
): LimitsAsk {
  const projectId = random.pick(PROJECTS)
  const { projects, ...shared } = money
  const own = projects[projectId] ?? { spendingLimit: null, projectSpent: 0 }
  const organizationId = 'unused'
  const funds = { ...shared, ...own }
  const known = { organizationId, version, fresh, limits, concurrency, projectId, funds, key }
  const ask = { ...known, tokens: chooseTokens(random, limits, last), record: null }
  if (random.chance(0.1)) return ask
  const reserved = chooseReserve(random, model.left(ask))
  const credentialId = random.pick(CREDENTIALS)
  const names = { id, organizationId, projectId, credentialId, instance: 'process' }
  const unknown = { accountId: null, credentialKind: null, retention: null }
  const modelId = random.chance(0.2) ? null : random.pick(MODELS)
  const named = { model: modelId, price: null, reserved, counted: true } as const
  const bounds = { promptTokensMax: 0, outputTokensMax: 0 }
  return { ...ask, record: { ...names, ...unknown, ...named, ...bounds } }
}
