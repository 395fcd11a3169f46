import type { Translated } from '../translated.ts'
import type * as english from '../meters.ts'

export const meters: Translated<typeof english.meters> = {
  title: 'Rate-Limits, live',
  names: {
    requests_per_minute: 'Anfragen pro Minute',
    tokens_per_minute: 'Tokens pro Minute',
    requests_per_day: 'Anfragen pro UTC-Tag',
    tokens_per_day: 'Tokens pro UTC-Tag',
  },
  of: 'von {limit}',
  used: (used, limit) => `${used} von ${limit} verbraucht`,
  left: (left) => `${left} übrig`,
  fullIn: (span) => `wieder voll in ${span}`,
  full: 'voll',
  resetsAt: (time) => `beginnt neu um ${time}`,
  unknown: 'Limits sind gerade nicht verfügbar.',
  unknownText: 'Sie gelten weiter, und Anfragen werden beantwortet.',
  dayOver: (share) => `${share} des UTC-Tags sind vorbei`,
}
