import type { Config } from '../../src/config/load.ts'

const ENDLESS = 1_000_000_000
const LIMITS = {
  requests_per_minute: ENDLESS,
  requests_per_day: ENDLESS,
  tokens_per_minute: ENDLESS,
  tokens_per_day: ENDLESS,
}

/** One request comes back every three seconds: time enough to be refused, and not long to wait. */
const FEW_PER_MINUTE = 20

/** Adds the plans that get a client into trouble. */
export function addPlans(config: Config): Config {
  const ample = {
    models: 'all',
    credentials: ['api_key'],
    billing: 'none',
    prices: {},
    limits: LIMITS,
  } satisfies Plan
  const plans = {
    ...config.plans,
    unreachable: { ...ample, credentials: ['playground'] },
    'few-per-minute': { ...ample, limits: { ...LIMITS, requests_per_minute: FEW_PER_MINUTE } },
    'one-per-day': { ...ample, limits: { ...LIMITS, requests_per_day: 1 } },
  } satisfies Record<string, Plan>
  return { ...config, plans }
}

type Plan = Config['plans'][string]
