export const meters = {
  title: 'Rate limits, live',
  names: {
    requests_per_minute: 'Requests per minute',
    tokens_per_minute: 'Tokens per minute',
    requests_per_day: 'Requests per UTC day',
    tokens_per_day: 'Tokens per UTC day',
  },
  of: 'of {limit}',
  used: (used: string, limit: string) => `${used} of ${limit} used`,
  left: (left: string) => `${left} left`,
  fullIn: (span: string) => `full again in ${span}`,
  full: 'full',
  resetsAt: (time: string) => `resets at ${time}`,
  unknown: 'Limits are unavailable right now.',
  unknownText: 'They are still enforced, and requests are answered.',
  dayOver: (share: string) => `${share} of the UTC day is over`,
} as const
