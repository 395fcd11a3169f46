export const periods = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
} as const

/** Of a filter by time. */
export const period = { name: 'Time', any: 'any time' } as const
