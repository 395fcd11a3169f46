import { counted } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../request-links.ts'

export const requestLinks: Translated<typeof english.requestLinks> = {
  make: 'Link für den Support',
  title: 'Link für den Support',
  text:
    'Wer den Link hat, sieht die Erklärung dieser Anfrage ohne Anmeldung: keine Inhalte, keine ' +
    'Namen von Personen, Projekten oder Schlüsseln. Jeder Link ist ein Ereignis im Audit-Log.',
  lasts: 'Gültig für',
  days: (days) => counted(days, { one: '# Tag', other: '# Tage' }),
  create: 'Link erstellen',
  link: 'Link für den Support',
  once: (end) =>
    `Kopieren Sie ihn jetzt: Er wird nicht erneut angezeigt. Er gilt bis ${end} oder bis er ` +
    'zurückgezogen wird.',
  working: 'Gültige Links',
  all: 'Links für den Support',
  allText:
    'Jeder zeigt eine Anfrage allen, die ihn haben. Mitglieder sehen die Links, die sie erstellt ' +
    'haben.',
  none: 'Derzeit gilt kein Link.',
  requestOf: (end) => `Anfrage …${end}`,
  until: (end) => `Gültig bis ${end}`,
  made: (name, time) => (name === undefined ? `Erstellt ${time}` : `Erstellt von ${name}, ${time}`),
  withdraw: 'Zurückziehen',
  withdrawn: 'Der Link wurde zurückgezogen.',
  page: {
    loading: 'Anfrage',
    goneTitle: 'Dieser Link funktioniert nicht.',
    goneText:
      'Er wurde zurückgezogen oder ist abgelaufen, die Anfrage wird nicht mehr aufbewahrt, oder ' +
      'die Organisation zeigt ihre Anfragen nur in ihren eigenen Netzen. Bitten Sie, wer ihn ' +
      'gesendet hat, um einen neuen.',
    toConsole: 'Zur Konsole',
    of: (organization, end) => `Eine Anfrage von ${organization}. Dieser Link gilt bis ${end}.`,
    noContent: 'Ohne Inhalte und Namen angezeigt.',
    byKey: (last4) => `Mit dem API-Schlüssel, der auf ${last4} endet.`,
    byUnknown: 'Mit einem API-Schlüssel.',
    byPlayground: 'Aus dem Playground.',
    key: (last4) => `… ${last4}`,
  },
}
