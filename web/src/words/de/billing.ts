import { counted } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../billing.ts'

export const billing: Translated<typeof english.billing> = {
  title: 'Abrechnung',
  sub: {
    prepaid: 'Vorausbezahlt: Anfragen werden aus dem Guthaben bezahlt. Monate und Tage sind UTC.',
    postpaid: 'Auf Rechnung: Die Nutzung wird monatlich abgerechnet. Monate und Tage sind UTC.',
    none: 'Dieser Tarif ist kostenlos.',
    unknown: 'Der Tarif dieser Organisation wird nicht mehr angeboten.',
  },
  states: {
    exhausted: 'Das Guthaben ist aufgebraucht. Anfragen erhalten 402, bis Geld hinzukommt.',
    conflict:
      'Der Betreiber ändert gerade die Abrechnung dieser Organisation. Bis dahin erhalten ' +
      'Anfragen 409.',
    askOperator: 'Wenden Sie sich an den Betreiber dieses Dienstes.',
  },
  balance: 'Guthaben',
  reserved: 'Jetzt reserviert',
  reservedBy: (running) =>
    `von ${counted(running, { one: '# laufenden Anfrage', other: '# laufenden Anfragen' })}`,
  free: 'Verfügbar',
  freeText: 'für neue Anfragen',
  creditLimit: 'Kreditlimit',
  creditUsed: (amount) => `${amount} in Anspruch genommen`,
  lasts: (days) =>
    days < 1
      ? 'reicht weniger als einen Tag'
      : `reicht etwa ${counted(days, { one: '# Tag', other: '# Tage' })}`,
  lastsText: 'beim Verbrauch der letzten 7 Tage',
  notKnown: 'Derzeit nicht bekannt',
  month: 'Bisher in diesem Monat ausgegeben',
  forecast: 'Prognose für diesen Monat',
  forecastText: (days) => `eine Schätzung aus den letzten ${days} Tagen, keine Rechnung`,
  postedText: 'ohne noch laufende Anfragen',
  limits: 'Ausgabenlimits von Projekten',
  limitsMeta: (month) => `${month} (UTC)`,
  noLimits: 'Kein Projekt hat ein Ausgabenlimit.',
  toProjects: 'Zu den Projekten',
  addMoney: 'Guthaben aufladen',
  addMoneyAsk: 'Der Betreiber dieses Dienstes lädt Guthaben auf.',
  suspended:
    'Bis die Sperre aufgehoben ist, kann kein Geld aufgeladen werden. Rechnungen können bezahlt ' +
    'werden.',
  exports: 'Nutzung als CSV',
  exportsText: 'Jede Anfrage eines UTC-Monats, mit Tokens und Kosten.',
  soFar: 'bisher',
}

export const statements: Translated<typeof english.statements> = {
  card: 'Abrechnungen',
  meta: 'abgeschlossene UTC-Monate, nach Projekt und Modell',
  none: 'Die erste Abrechnung entsteht einen Tag nach dem Ende des Monats.',
  month: 'Monat',
  requests: 'Anfragen',
  tokens: 'Tokens',
  cost: 'Kosten',
  download: 'Herunterladen',
  csv: 'CSV',
  state: 'Rechnung',
  states: {
    closed: 'Keine Rechnung',
    issued: 'Unbezahlt',
    paid: 'Bezahlt',
    overdue: 'Überfällig',
    void: 'Storniert',
    written_off: 'Abgeschrieben',
  },
  due: 'Fällig',
  total: 'Gesamt',
  pay: 'Bezahlen',
  payMonth: (month) => `Die Rechnung für ${month} bezahlen`,
  overdueStrip: (month) => `Die Rechnung für ${month} ist überfällig.`,
  stops: (day) => `Bleibt sie unbezahlt, erhalten Anfragen ab ${day} 402.`,
  stopped: 'Anfragen erhalten 402, bis sie bezahlt ist.',
  strangePage:
    'Die Seite dieser Rechnung liegt auf einem unbekannten Host und wurde nicht geöffnet.',
  downloadMonth: (month) => `Abrechnung von ${month} als CSV herunterladen`,
}

export const credits: Translated<typeof english.credits> = {
  card: 'Guthaben, das verfällt',
  meta: 'Was zuerst verfällt, wird zuerst verbraucht',
  until: 'Verfällt',
  remaining: 'Verbleibend',
  of: 'Betrag',
  granted: 'Gutgeschrieben',
}

export const vouchers: Translated<typeof english.vouchers> = {
  open: 'Gutschein einlösen',
  text: 'Der Betrag wird dem Guthaben dieser Organisation hinzugefügt.',
  code: 'Code',
  hint: 'Sechzehn Buchstaben und Ziffern. Leerzeichen und Bindestriche spielen keine Rolle.',
  redeem: 'Einlösen',
  added: (amount) => `${amount} wurden dem Guthaben hinzugefügt.`,
  addedUntil: (amount, time) =>
    `${amount} wurden dem Guthaben hinzugefügt. Was davon übrig ist, verfällt am ${time}.`,
  repeated: (time) =>
    `Diese Organisation hat den Gutschein schon am ${time} eingelöst. Jetzt kam nichts hinzu.`,
}

export const transfers: Translated<typeof english.transfers> = {
  card: 'Verlauf des Guthabens, ohne Verbrauch',
  columns: {
    when: 'Zeit',
    kind: 'Art',
    amount: 'Betrag',
    why: 'Grund',
    who: 'Von',
    reference: 'Referenz',
  },
  kinds: {
    grant: 'Gutschrift',
    adjustment: 'Korrektur',
    payment: 'Zahlung',
    refund: 'Erstattung',
    dispute: 'Rückbuchung',
    invoice: 'Rechnung',
    expiry: 'Verfall',
    voucher: 'Gutschein',
    usage: 'Nutzung',
  },
  none: 'Es wurde noch kein Geld gutgeschrieben.',
}

export const alerts: Translated<typeof english.alerts> = {
  card: 'Ausgabenwarnungen',
  meta: 'je Kalendermonat (UTC)',
  none: 'Noch keine Warnungen.',
  noneText: 'Eine Warnung meldet per E-Mail oder Webhook, wenn ein Betrag ausgegeben ist.',
  add: 'Warnung hinzufügen',
  organization: 'Ganze Organisation',
  reachedAt: (time) => `erreicht ${time}`,
  test: 'Test senden',
  tested: {
    delivered: 'Der Webhook hat den Test angenommen.',
    failed: 'Der Webhook hat nicht innerhalb von 5 Sekunden mit Erfolg geantwortet.',
  },
  testEmails: (count) =>
    counted(count, { one: '# E-Mail wurde gesendet.', other: '# E-Mails wurden gesendet.' }),
  noChannel: 'Nur hier angezeigt',
  nobodyTold: 'Niemand wird benachrichtigt: Ohne Adresse oder Webhook steht die Warnung nur hier.',
  webhook: 'Webhook',
  change: 'Ändern',
  remove: 'Entfernen',
  removeTitle: (scope) => `Warnung für ${scope} entfernen?`,
  removeText: 'Niemand wird mehr benachrichtigt.',
  removed: 'Die Warnung wurde entfernt.',
  saved: 'Die Warnung wurde gespeichert.',
  addTitle: 'Ausgabenwarnung hinzufügen',
  changeTitle: (scope) => `Warnung für ${scope}`,
  scope: 'Für',
  amounts: 'Beträge je Monat',
  amountsHint: 'Bis zu zehn. Drücken Sie nach jedem Leertaste oder Enter.',
  share: (amount) => `50, 80 und 100 % von ${amount}`,
  webhookUrl: 'Webhook',
  webhookHint: 'Eine https-Adresse, die einen signierten POST erhält.',
  newSecret: 'Neues Geheimnis für den Webhook erzeugen',
  save: 'Warnung speichern',
  secretTitle: 'Geheimnis des Webhooks kopieren',
  secretText:
    'Es beweist, dass ein Aufruf Ihres Webhooks von hier kommt. Es wird nur einmal angezeigt.',
  secret: 'Webhook-Geheimnis',
  exists: 'Diese Warnung gibt es schon; Speichern ersetzt sie.',
}

export const emails: Translated<typeof english.emails> = {
  label: 'E-Mail-Adressen',
  hint: 'Bis zu zehn. Drücken Sie nach jeder Leertaste oder Enter.',
}

export const contacts: Translated<typeof english.contacts> = {
  card: 'Abrechnungskontakte',
  meta: 'Wer E-Mails zu Zahlungen, automatischer Aufladung und Guthaben bekommt',
  none: 'Die Eigentümer bekommen sie. Sie können stattdessen andere Adressen eintragen.',
  change: 'Ändern',
  text:
    'Diese Adressen bekommen E-Mails zu Zahlungen, automatischer Aufladung und verfallendem ' +
    'Guthaben, statt der Eigentümer. Ohne Adresse bekommen sie die Eigentümer. Nur Eigentümer ' +
    'werden gebeten, eine Zahlung zu bestätigen.',
  save: 'Kontakte speichern',
  saved: 'Die Abrechnungskontakte wurden gespeichert.',
}
