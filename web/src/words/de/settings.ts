import { counted } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../settings.ts'

export const settings: Translated<typeof english.settings> = {
  title: 'Einstellungen',
  tabs: {
    general: 'Allgemein',
    retention: 'Aufbewahrung',
    signIn: 'Anmeldung',
    managementKeys: 'Management-Schlüssel',
    support: 'Support',
  },
}

export const general: Translated<typeof english.general> = {
  card: 'Organisation',
  name: 'Name',
  nameHint: 'Für Mitglieder und in Einladungen sichtbar.',
  saved: 'Die Organisation wurde umbenannt.',
  slug: 'Slug',
  slugHint: 'Teil jeder Adresse. Nicht änderbar.',
  id: 'Organisations-ID',
  plan: 'Tarif',
  planHint: 'Der Betreiber ändert ihn.',
  retention: 'Aufbewahrung',
  created: 'Erstellt',
  leave: 'Diese Organisation verlassen',
  leaveText: 'Ihre Schlüssel darin funktionieren ab der nächsten Anfrage nicht mehr.',
  leaveLink: 'Zu Ihren Organisationen',
}

export const retention: Translated<typeof english.retention> = {
  lead: 'Was darf von den Inhalten Ihrer Anfragen aufbewahrt werden?',
  leadText:
    'Prompts ebenso wie Antworten. Nutzung wird immer gezählt und enthält keine Inhalte. Jede ' +
    'Antwort nennt den geltenden Wert im Header {header}.',
  header: 'service-data-retention',
  inForce: 'In Kraft',
  chosenNotInForce: 'Gewählt, nicht in Kraft',
  promise: {
    zero:
      'Nichts wird gespeichert, sobald die Anfrage abgeschlossen ist. Caches im Speicher, etwa ' +
      'der einer Engine, können Inhalte halten, bis sie sie verwerfen.',
    standard: 'Inhalte dürfen nach den Standardregeln aufbewahrt werden.',
    contributor:
      'Wie Standard; außerdem dürfen Inhalte zum Training verwendet werden, nach ' +
      'Bedingungen, die ' +
      'die Organisation akzeptiert hat.',
  },
  points: {
    nobody: 'Danach kann sie niemand lesen',
    untilEnd: 'Aufbewahrt, bis die Antwort zu Ende ist',
    noTraining: 'Nie für Training verwendet',
    encrypted: (name) => `Mit einem Schlüssel von ${name} verschlüsselt`,
    days: (days) =>
      counted(days, {
        one: '# Tag aufbewahrt, dann vernichtet',
        other: '# Tage aufbewahrt, dann vernichtet',
      }),
    terms: (version) => `Ein Eigentümer akzeptiert die Bedingungen ${version}`,
    noTerms: 'Der Betreiber bietet keine Bedingungen dafür an',
  },
  foot: {
    current: 'Der Wert dieser Organisation',
    next: 'Gilt ab der nächsten Anfrage',
    readTerms: 'Öffnet die Bedingungen; lesen Sie sie bis zum Ende',
    notOffered: 'Hier nicht angeboten',
    acceptedBy: (date, who) => `Akzeptiert am ${date} von ${who}`,
    former: 'einem ehemaligen Mitglied',
  },
  serviceKeepsNothing:
    'Dieser Dienst bewahrt keinerlei Inhalte auf; Zero gilt also, was auch immer gewählt ist.',
  unchanged: 'Zum Ändern einen anderen Wert wählen. Gilt ab der nächsten Anfrage.',
  onlyOwners: 'Nur ein Eigentümer kann das ändern.',
  keptStays:
    'Was bisher aufbewahrt wurde, bleibt, bis seine Tage vorbei sind oder Sie es vernichten.',
  save: 'Speichern',
  saved: (value) => `Die Aufbewahrung ist ab der nächsten Anfrage ${value}.`,
  termsTitle: (version) => `Bedingungen der Contributor-Aufbewahrung, ${version}`,
  termsText: 'Lesen Sie sie bis zum Ende; danach funktioniert die Schaltfläche.',
  termsOpen: 'Bedingungen öffnen',
  termsPoints: (days) => [
    `Inhalte jeder Anfrage werden ab der nächsten ${days} Tage aufbewahrt.`,
    'Der Betreiber darf sie im Rahmen der Bedingungen zum Training verwenden.',
    'Sie können jederzeit zu einem anderen Wert zurückkehren. Was bis dahin aufbewahrt wurde, ' +
      'bleibt, bis seine Tage vorbei sind oder Sie es vernichten.',
    'Was bereits zum Training verwendet wurde, lässt sich nicht zurücknehmen.',
  ],
  termsRead: (version) =>
    `Ich habe die Bedingungen ${version} bis zum Ende gelesen und akzeptiere sie für die ` +
    'Organisation.',
  accept: 'Akzeptieren und ändern',
}

export const kept: Translated<typeof english.kept> = {
  card: 'Was jetzt aufbewahrt ist',
  none: 'Nichts ist aufbewahrt.',
  records: 'Datensätze',
  days: 'Tage',
  oldest: 'Ältester Tag (UTC)',
  goneBy: 'Alles vernichtet bis (UTC)',
  columns: {
    day: 'Tag (UTC)',
    retention: 'Aufbewahrung',
    records: 'Datensätze',
    gone: 'Vernichtung am (UTC)',
  },
  byDay: 'Nach Art und Tag',
  atLeast: (records) => `${records}+`,
  text: (records) =>
    `Das Vernichten erreicht alle ${records} Datensätze zugleich: Ihre Schlüssel werden ` +
    'vernichtet, und keine Kopie ist mehr lesbar. Das lässt sich nicht rückgängig machen.',
  destroy: 'Alles Aufbewahrte vernichten',
  destroyTitle: 'Alles Aufbewahrte vernichten?',
  destroyText: (records, days) =>
    `${records} Datensätze aus ${counted(days, { one: '# Tag', other: '# Tagen' })} werden ` +
    'sofort unlesbar, für alle, in jeder Kopie und Sicherung: Ihre Schlüssel werden vernichtet. ' +
    'Das lässt sich nicht rückgängig machen.',
  destroyStays: 'Nutzung, Rechnungen und Audit-Log bleiben; sie enthalten keine Inhalte.',
  destroyRunning: 'Was ab jetzt angefragt wird, wird nach der geltenden Aufbewahrung behandelt.',
  type: (word) => `Zum Bestätigen ${word} eingeben`,
  word: 'vernichten',
  destroyed: 'Alles Aufbewahrte ist vernichtet.',
}

export const managementKeys: Translated<typeof english.managementKeys> = {
  lead: 'Management-Schlüssel',
  leadText:
    'Mit einem Management-Schlüssel verwendet ein Programm die Management-API: Es darf, was ' +
    'seine ' +
    'Scopes sagen, solange die Person, die ihn erstellt hat, das auch darf.',
  create: 'Neuer Management-Schlüssel',
  columns: {
    name: 'Name',
    key: 'Schlüssel',
    scopes: 'Scopes',
    creator: 'Erstellt von',
    expires: 'Ablauf',
    used: 'Zuletzt benutzt',
    actions: 'Aktionen',
  },
  none: 'Noch keine Management-Schlüssel.',
  noneText: 'Mit einem Management-Schlüssel verwendet ein Programm die Management-API.',
  never: 'Nie',
  revoked: 'Widerrufen',
  expired: 'Abgelaufen',
  former: 'ein ehemaliges Mitglied',
  name: 'Name',
  nameHint: 'Erscheint in Listen und im Audit-Log.',
  expiry: 'Läuft ab nach',
  days: (days) => counted(days, { one: '# Tag', other: '# Tagen' }),
  scopes: 'Scopes',
  scopesHint: 'Nicht mehr als nötig.',
  noScopes: 'Wählen Sie mindestens einen Scope.',
  presets: {
    read: 'Nur lesen',
    keys: 'Schlüssel verwalten',
    billing: 'Nutzung und Abrechnung exportieren',
  },
  scopeTexts: {
    'organization:read': 'Name, Tarif, Modelle und Limits lesen.',
    'organization:write': 'Organisation umbenennen.',
    'projects:read': 'Projekte und ihre Ausgaben lesen.',
    'projects:write': 'Projekte erstellen, ändern und archivieren.',
    'keys:read': 'Schlüssel und ihre Einstellungen lesen, nie Geheimnisse.',
    'keys:write': 'Schlüssel erstellen, ändern, rotieren und widerrufen.',
    'usage:read': 'Nutzung lesen und herunterladen.',
    'requests:read': 'Anfragen lesen und warum sie abgelehnt wurden.',
    'billing:read': 'Guthaben, Buchungen und Ausgabenwarnungen lesen.',
    'billing:write': 'Ausgabenwarnungen ändern.',
    'members:read': 'Mitglieder und Einladungen lesen.',
    'members:write': 'Leute einladen, Rollen ändern, Mitglieder entfernen.',
    'retention:read': 'Lesen, was von Anfragen aufbewahrt wird.',
    'payments:read': 'Zahlungen lesen.',
    'audit:read': 'Audit-Log lesen und herunterladen.',
  },
  createButton: 'Schlüssel erstellen',
  createdTitle: 'Schlüssel jetzt kopieren',
  createdText: 'Wir speichern nur den Hash; der Schlüssel lässt sich nicht erneut anzeigen.',
  key: 'Management-Schlüssel',
  example: 'Beispiel',
  revoke: 'Widerrufen',
  revokeTitle: (name) => `${name} widerrufen?`,
  revokeText:
    'Programme, die ihn verwenden, werden ab dem nächsten Aufruf abgelehnt. Das lässt sich nicht ' +
    'rückgängig machen.',
  revokedNow: (name) => `${name} wurde widerrufen.`,
}

export const support: Translated<typeof english.support> = {
  lead: 'Support-Zugriff',
  leadText:
    'Der Support des Betreibers sieht nichts von dieser Organisation, außer ein Eigentümer lässt ' +
    'es zu. Dann kann er lesen, nie ändern, und jedes Lesen steht im Audit-Log. Inhalte von ' +
    'Anfragen werden nie gezeigt.',
  active: (until) => `Der Support kann diese Organisation bis ${until} lesen.`,
  inactive: 'Der Support hat keinen Zugriff.',
  grant: 'Zugriff gewähren',
  grantAgain: 'Erneut gewähren',
  end: 'Zugriff beenden',
  endText: 'Ab dem nächsten Aufruf.',
  ended: 'Der Support-Zugriff ist beendet.',
  granted: 'Der Support-Zugriff ist gewährt.',
  grantTitle: 'Support-Zugriff gewähren?',
  grantText:
    'Der Support kann Schlüssel (nie Geheimnisse), Nutzung, Mitglieder, Abrechnung und ' +
    'Einstellungen lesen.',
  hours: 'Für',
  hour: (hours) => counted(hours, { one: '# Stunde', other: '# Stunden' }),
  reason: 'Grund',
  reasonHint: 'Für den Support und im Audit-Log sichtbar.',
  history: 'Bisher gewährt',
  columns: { granted: 'Gewährt', by: 'Von', until: 'Bis', reason: 'Grund', state: 'Status' },
  states: { active: 'Aktiv', ended: 'Beendet', over: 'Abgelaufen' },
  reads: 'Was der Support gelesen hat',
  readColumns: { when: 'Wann', who: 'Wer', what: 'Was' },
  lasted: (span) => `${span} lang`,
  noReads: 'Der Support hat nichts gelesen.',
  former: 'ein ehemaliges Mitglied',
}
