import { counted } from './counted.ts'

export const chart = {
  sum: 'Sum',
  utcDay: 'UTC day',
  soFar: 'so far',
  todaySoFar: 'Today so far',
  hourSoFar: 'This hour so far',
  others: (count: number) => counted(count, { one: '# other', other: '# others' }),
} as const
