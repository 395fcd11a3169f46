import type { Config } from '../../src/config/load.ts'

const UNLIMITED = 1_000_000_000
const LIMITS = {
  requests_per_minute: UNLIMITED,
  requests_per_day: UNLIMITED,
  tokens_per_minute: UNLIMITED,
  tokens_per_day: UNLIMITED,
}

/** One request is refilled every three seconds: long enough to be rejected, short to wait for. */
const FEW_PER_MINUTE = 20

/** Adds the plans with which requests are rejected. */
export function addPlans(config: Config): Config {
  const ample = {
    models: 'all',
    credentials: ['api_key'],
    ignored_parameters: [],
    weight: 1,
    priority: 'standard',
    billing: 'none',
    prices: {},
    limits: LIMITS,
  } satisfies Plan
  const plans = {
    ...config.plans,
    'no-api-keys': { ...ample, credentials: ['playground'] },
    'few-per-minute': { ...ample, limits: { ...LIMITS, requests_per_minute: FEW_PER_MINUTE } },
    'one-per-day': { ...ample, limits: { ...LIMITS, requests_per_day: 1 } },
  } satisfies Record<string, Plan>
  return { ...config, plans }
}

type Plan = Config['plans'][string]
