import type { Translated } from '../translated.ts'
import type * as english from '../refusals.ts'

export const refusals: Translated<typeof english.refusals> = {
  explain: 'Erklären',
  limits: {
    requests_per_minute: 'Anfragen pro Minute',
    requests_per_day: 'Anfragen pro UTC-Tag',
    tokens_per_minute: 'Tokens pro Minute',
    tokens_per_day: 'Tokens pro UTC-Tag',
    concurrent_requests: 'Gleichzeitige Anfragen',
    key_concurrent_requests: 'Gleichzeitige Anfragen je Schlüssel',
    model_concurrent_requests: 'Gleichzeitige Anfragen je Modell',
    key_requests_per_minute: 'Anfragen pro Minute je Schlüssel',
    key_spending: 'Ausgabenlimit des Schlüssels',
    project_spending: 'Ausgabenlimit des Projekts',
    balance: 'Guthaben',
  },
  exceeded: (limits, later) =>
    `${limits}${later === '' ? '' : `: wäre ${later} später angenommen worden`}.`,
  field: (param) => `Es geht um ${param}.`,
  byKey: (key) => `Schlüssel ${key}.`,
}
