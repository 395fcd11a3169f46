import { counted } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../times.ts'

export const times: Translated<typeof english.times> = {
  ago: (span) => `${span}前`,
  milliseconds: (count) => `${count} 毫秒`,
  seconds: (count) => `${count} 秒`,
  minutes: (count) => `${count} 分钟`,
  hours: (count) => `${count} 小时`,
  days: (count) => counted(count, { other: '# 天' }),
  minutesAndSeconds: (minutes, seconds) => `${minutes} 分 ${seconds} 秒`,
}
