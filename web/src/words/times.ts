import { counted } from './counted.ts'

export const times = {
  /** `span` is one of the texts below. */
  ago: (span: string) => `${span} ago`,
  milliseconds: (count: string) => `${count} ms`,
  seconds: (count: string) => `${count} s`,
  minutes: (count: string) => `${count} min`,
  hours: (count: string) => `${count} h`,
  days: (count: number) => counted(count, { one: '# day', other: '# days' }),
  minutesAndSeconds: (minutes: string, seconds: string) => `${minutes} min ${seconds} s`,
} as const
