import { counted } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../times.ts'

export const times: Translated<typeof english.times> = {
  // After "vor" a day has another form: "3 Tage", but "vor 3 Tagen".
  ago: (span) => `vor ${span.replace(/ Tage$/, ' Tagen')}`,
  milliseconds: (count) => `${count} ms`,
  seconds: (count) => `${count} s`,
  minutes: (count) => `${count} min`,
  hours: (count) => `${count} h`,
  days: (count) => counted(count, { one: '# Tag', other: '# Tage' }),
  minutesAndSeconds: (minutes, seconds) => `${minutes} min ${seconds} s`,
}
