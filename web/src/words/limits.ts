export const limits = {
  title: 'Limits',
  sub: (organization: string) =>
    `Counted across all keys of ${organization}. ` +
    'Limits per minute refill evenly, limits per day reset at 00:00 UTC.',
  fromPlan: (plan: string) => `From the plan ${plan}`,
  overridden: 'Set for this organization',
  refusals: 'What a refusal looks like',
  refusalsMeta: 'With the current headers',
  tooMany: '429 Too many requests',
  tooManyText:
    'The request would exceed a limit. It costs nothing. ' +
    'Retry after the time in retry-after-ms; SDKs do so automatically.',
  noFunds: '402 Payment required',
  noFundsText:
    'The balance, the credit limit or a spending limit does not cover what the request may ' +
    'cost. Retrying does not help.',
  answers: 'Answers',
  keys: 'Top keys',
  keysMeta: (from: string) => `Since ${from}`,
  keysCaption: 'Usage by key in this hour and the one before',
  keysEmpty: 'No usage in the last hour.',
  key: 'Key',
  playground: (name: string) => `Playground of ${name}`,
  unknownKey: 'Unknown key',
  requests: 'Requests',
  tokens: 'Tokens',
  more: 'Request higher limits',
  moreText: 'The operator sets limits. Copy these figures into your message to help them decide.',
  copy: 'Copy figures',
  contact: 'Write to the operator',
  subject: 'Higher limits',
  figures: 'figures',
  message: (organization: string, plan: string) =>
    `Organization ${organization} (plan ${plan}) asks for higher limits.`,
  messageLine: (name: string, used: string, limit: string) => `${name}: ${used} of ${limit} used`,
  running: 'Running requests',
} as const
