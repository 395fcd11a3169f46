import { counted } from './counted.ts'
import type { Group, Measure, Period, Split } from '../pages/usage/search.ts'

const measures: Readonly<Record<Measure, string>> = {
  requests: 'Requests',
  input: 'Input tokens',
  cached: 'Cached tokens',
  output: 'Output tokens',
  reasoning: 'Reasoning tokens',
  cost: 'Cost',
}
const groups: Readonly<Record<Group, string>> = {
  day: 'day',
  hour: 'hour',
  model: 'model',
  project: 'project',
  key: 'key',
  member: 'member',
}
const periods: Readonly<Record<Period, string>> = {
  today: 'Today',
  '7': '7 days',
  '30': '30 days',
  '90': '90 days',
  month: 'This month',
  custom: 'Custom',
}

export const usage = {
  title: 'Usage',
  what: 'Usage',
  periods,
  groups,
  measures,
  period: 'Period',
  by: 'By',
  colours: 'Colours',
  noSplit: 'one colour',
  measure: 'Measure',
  filters: { project: 'Project', key: 'Key', member: 'Member', model: 'Model' } as Readonly<
    Record<Split, string>
  >,
  zone: 'Time zone',
  utc: 'UTC',
  firstDay: 'First day, UTC',
  lastDay: 'Last day, UTC',
  show: 'Show',
  sub: (from: string, to: string) =>
    from === to ? `${to}, a UTC day.` : `${from} to ${to}, UTC days.`,
  postedUpTo: (time: string) => `Posted up to ${time}.`,
  postedUnknown: 'It is unknown right now up to when usage is posted.',
  csv: 'CSV',
  cloudEvents: 'CloudEvents',
  exportHint: 'One line for each request of this period',
  perDay: (amount: string) => `${amount} a day`,
  failed: 'Failed',
  completed: 'Completed',
  failedShare: (count: string, share: string) => `${count} failed, ${share}`,
  failedUnknown: 'Failures are not known for all of this period',
  cachedShare: (share: string) => `${share} cached`,
  reasoningShare: (share: string) => `${share} reasoning`,
  short: {
    requests: 'Requests',
    input: 'Input',
    cached: 'Cached',
    output: 'Output',
    reasoning: 'Reasoning',
    cost: (currency: string) => `Cost, ${currency}`,
  },
  rows: {
    day: 'Day, UTC',
    hour: 'Hour',
    model: 'Model',
    project: 'Project',
    key: 'Key',
    member: 'Member',
  } as Readonly<Record<Group, string>>,
  sum: (days: number) => counted(days, { one: '# day', other: '# days' }),
  soFar: 'so far',
  noMember: 'Keys of the organization',
  playgroundOf: (name: string) => `Playground of ${name}`,
  all: 'All',
  chartTitle: (measure: string, unit: 'hour' | 'day', currency: string | undefined) => {
    const per = `${measure} per ${unit === 'day' ? 'UTC day' : 'hour'}`
    return currency === undefined ? per : `${per}, ${currency}`
  },
  chartLabel: (title: string, from: string, to: string, sum: string) =>
    `${title}, from ${from} to ${to}: ${sum} in all. The table below has the same figures.`,
  bandTitle: (measure: string, split: string) => `${measure} by ${split}`,
  caption: (by: string) => `Usage by ${by}`,
  empty: (from: string, to: string) => `No usage between ${from} and ${to} (UTC).`,
  emptyText: 'Choose another period, or remove filters.',
  showAll: (count: string) => `Show all ${count} rows`,
  moreThanShown: (shown: string, count: string) => `${shown} of ${count} rows`,
} as const
