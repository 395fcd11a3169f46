export const refusals = {
  explain: 'Explain',
  limits: {
    requests_per_minute: 'Requests per minute',
    requests_per_day: 'Requests per UTC day',
    tokens_per_minute: 'Tokens per minute',
    tokens_per_day: 'Tokens per UTC day',
    concurrent_requests: 'Concurrent requests',
    key_concurrent_requests: 'Concurrent requests per key',
    model_concurrent_requests: 'Concurrent requests per model',
    key_requests_per_minute: 'Requests per minute per key',
    key_spending: 'Spending limit of the key',
    project_spending: 'Spending limit of the project',
    balance: 'Balance',
  } as Readonly<Record<string, string>>,
  exceeded: (limits: string, later: string) =>
    `${limits}${later === '' ? '' : `: would have been accepted ${later} later`}.`,
  field: (param: string) => `About ${param}.`,
  byKey: (key: string) => `Key ${key}.`,
} as const
