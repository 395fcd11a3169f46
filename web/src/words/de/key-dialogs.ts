import type { Translated } from '../translated.ts'
import type * as english from '../key-dialogs.ts'

const HELD: Readonly<Record<string, string>> = {
  models: 'Modelle',
  requests_per_minute: 'Anfragen pro Minute',
  spending_limit: 'Ausgabenlimit',
  expires_at: 'Ablauf',
}

export const keyDialogs: Translated<typeof english.keyDialogs> = {
  name: 'Name',
  nameHint: 'Erscheint in Nutzung und Audit-Log, auch nach Ablauf des Schlüssels.',
  project: 'Projekt',
  ends: 'Ablauf',
  endsOn: 'Letzter Tag',
  inDays: (days, date) => `In ${days} Tagen · ${date}`,
  inOneYear: (date) => `In einem Jahr · ${date}`,
  onDate: 'An einem Datum …',
  never: 'Nie',
  unchanged: (date) => `Wie bisher · ${date}`,
  belongsTo: 'Gehört',
  me: 'Mir',
  meText: (organization) => `Endet, wenn ich ${organization} verlasse.`,
  organization: 'Der Organisation',
  organizationText: 'Bleibt, wenn Leute gehen.',
  models: 'Modelle',
  allModels: 'Alle Modelle des Tarifs, auch künftige',
  someModels: 'Nur diese',
  noModel: 'Wählen Sie mindestens ein Modell.',
  until: (date) => `bis ${date}`,
  more: 'Mehr: Limits des Schlüssels, ignorierte Parameter',
  perMinute: 'Anfragen pro Minute',
  perMinuteHint: 'Muss unter dem Limit der Organisation liegen. Leer: kein Limit des Schlüssels.',
  spending: 'Ausgabenlimit je Monat (UTC)',
  spendingHint: 'Anfragen darüber erhalten 402. Leer: kein Limit des Schlüssels.',
  ignored: 'Ignorierte Parameter',
  ignoredHint:
    'Anfragen mit diesen Parametern werden angenommen und die Parameter ignoriert, für ' +
    'Programme, die sie immer senden. Alle anderen Schlüssel erhalten 400.',
  notANumber: 'Eine ganze Zahl wie 60.',
  create: 'Schlüssel erstellen',
  copyNow: 'Schlüssel jetzt kopieren',
  copyNowText: 'Wir speichern nur den Hash; der Schlüssel lässt sich nicht erneut anzeigen.',
  copyKey: 'Schlüssel kopieren',
  theKey: 'Schlüssel',
  worksFrom: 'Aktiv ab der nächsten Anfrage.',
  snippets: 'So wird der Schlüssel verwendet',
  modelsOf: (some, all) => `${some} von ${all}`,
  allOfPlan: 'Alle Modelle des Tarifs',
  edit: 'Einstellungen bearbeiten',
  editTitle: 'Einstellungen des Schlüssels',
  held: (limits) =>
    `Von einem Admin festgelegt: ${limits.map((limit) => HELD[limit] ?? limit).join(', ')}. ` +
    'Sie können das verschärfen, aber nicht lockern.',
  changedMeanwhile: 'Jemand anderes hat diesen Schlüssel inzwischen geändert.',
  readAgain: 'Neue Einstellungen laden',
  saved: (name) => `${name} wurde geändert. Gilt ab der nächsten Anfrage.`,
  rotate: 'Schlüssel rotieren',
  rotateText: (name) =>
    `Erstellt einen neuen Schlüssel mit den Einstellungen von ${name}. ` +
    'Beide funktionieren während der Überlappung und teilen sich ihre Limits.',
  overlap: 'Alten Schlüssel behalten für',
  overlaps: {
    '0': 'keine Überlappung: Er endet mit der nächsten Anfrage',
    '3600': '1 Stunde',
    '86400': '1 Tag',
    '604800': '7 Tage',
  },
  rotateNote: (when) => `Der alte Schlüssel endet am ${when}.`,
  rotateNow: 'Der alte Schlüssel endet mit der nächsten Anfrage.',
  revoke: 'Schlüssel widerrufen',
  revokeTitle: (name) => `${name} widerrufen`,
  revokeText: 'Seine Anfragen erhalten ab jetzt 401.',
  revokeRunning: 'Laufende Anfragen enden normal. Das lässt sich nicht rückgängig machen.',
  revokeUsed: (ago) =>
    `Dieser Schlüssel wurde ${ago} benutzt. Programme, die ihn verwenden, funktionieren dann ` +
    'nicht mehr.',
  revokeUnused: 'Dieser Schlüssel wurde nie benutzt.',
  revokeUsedLong: (ago) => `Dieser Schlüssel wurde zuletzt ${ago} benutzt.`,
  reason: 'Grund',
  reasonHint: 'Erscheint hier und im Audit-Log.',
  typeName: (name) => `Zum Bestätigen ${name} eingeben`,
  revoked: (name) => `${name} wurde widerrufen. Der Nutzungsverlauf bleibt.`,
}
