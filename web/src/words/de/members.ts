import { counted, countedUpTo } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../members.ts'

export const members: Translated<typeof english.members> = {
  title: 'Mitglieder',
  people: (count, more) => countedUpTo({ count, more }, { one: '# Person', other: '# Personen' }),
  invitationsCounted: (count, more) =>
    countedUpTo({ count, more }, { one: '# Einladung', other: '# Einladungen' }),
  summary: (people, invitations) =>
    invitations === null ? `${people}.` : `${people}, ${invitations}.`,
  withoutFactor: (count) =>
    counted(count, { one: '# ohne zweiten Faktor.', other: '# ohne zweiten Faktor.' }),
  invite: 'Einladen',
  columns: {
    member: 'Mitglied',
    role: 'Rolle',
    factor: 'Zweiter Faktor',
    keys: 'Schlüssel',
    seen: 'Zuletzt aktiv',
    actions: 'Aktionen',
  },
  you: 'Sie',
  none: 'Keiner',
  set: 'Eingerichtet',
  roleOf: (name) => `Rolle von ${name}`,
  roleIs: (role, name) => `${role}: Rolle von ${name}`,
  roleChanged: (name, role) => `${name} hat jetzt die Rolle ${role}.`,
  nowViewer: (name) =>
    `${name} hat jetzt die Rolle Betrachter. Die zugehörigen API-Schlüssel funktionieren ` +
    'nicht mehr.',
  actionsFor: (name) => `Aktionen für ${name}`,
  showAudit: 'Aktivität anzeigen',
  leave: 'Organisation verlassen',
  remove: 'Entfernen',
  removeTitle: (name) => `${name} entfernen?`,
  removeText: 'Der Zugriff endet mit der nächsten Anfrage. Nutzung und Audit-Verlauf bleiben.',
  removed: (name) => `${name} wurde entfernt.`,
  noKeys: 'Diese Person hat keine API-Schlüssel.',
  stop: (count, more) =>
    countedUpTo(
      { count, more },
      {
        one: '# Schlüssel dieser Person funktioniert ab der nächsten Anfrage nicht mehr.',
        other: '# Schlüssel dieser Person funktionieren ab der nächsten Anfrage nicht mehr.',
      },
    ),
  move: (count, more) =>
    countedUpTo(
      { count, more },
      { one: 'Der Organisation übertragen', other: 'Alle # der Organisation übertragen' },
    ),
  moveText: 'Sie funktionieren weiter und gehören der Organisation.',
  keysOfPerson: 'Schlüssel dieser Person',
  andMore: (count) => `und ${count} weitere`,
  ownRoleTitle: (role) => `Sich selbst zu „${role}“ machen?`,
  ownRoleText: (role) =>
    `Sie behalten nur die Rechte der Rolle ${role}. Nur jemand anderes kann Ihnen Ihre Rolle ` +
    'zurückgeben.',
  ownRoleButton: 'Meine Rolle ändern',
}

export const inviting: Translated<typeof english.inviting> = {
  title: 'Einladen',
  text: 'Die Person erhält einen Link, der einmal und 7 Tage lang funktioniert.',
  email: 'E-Mail-Adresse',
  role: 'Rolle',
  send: 'Einladen',
  sent: (email) => `Eine Einladung wurde an ${email} gesendet.`,
  linkTitle: 'Senden Sie diesen Link selbst',
  linkText: (email) =>
    `Dieser Dienst sendet keine E-Mails. Geben Sie den Link an ${email}: Er funktioniert einmal, ` +
    '7 Tage lang, und wird nicht erneut angezeigt.',
  link: 'Link',
  card: 'Einladungen',
  none: 'Keine offenen Einladungen.',
  foot: 'Ein Link funktioniert einmal und 7 Tage lang.',
  sentBy: (who, on, until) => `Eingeladen von ${who} am ${on}, läuft ab am ${until}`,
  expired: 'Abgelaufen',
  operator: 'dem Betreiber',
  former: 'einem ehemaligen Mitglied',
  resend: 'Erneut senden',
  resent: (email) => `Ein neuer Link wurde an ${email} gesendet. Der alte funktioniert nicht mehr.`,
  withdraw: 'Zurückziehen',
  withdrawn: (email) =>
    `Die Einladung von ${email} wurde zurückgezogen. Ihr Link funktioniert nicht mehr.`,
}

export const rights: Translated<typeof english.rights> = {
  title: 'Rechte der Rollen',
  table: 'Rollen und ihre Rechte',
  may: 'Recht',
  yes: 'ja',
  no: 'nein',
  own: 'eigene',
  rows: {
    'usage:read': 'Nutzung und Anfragen sehen',
    'keys:write': 'Schlüssel erstellen, ändern und widerrufen',
    'playground:use': 'Playground verwenden',
    'billing:read': 'Abrechnung sehen',
    'audit:read': 'Audit-Log sehen',
    'projects:write': 'Projekte, Ausgabenlimits, Warnungen',
    'members:write': 'Mitglieder einladen, ändern und entfernen',
    'sign-in:write': 'Aufbewahrung, Anmeldung, Management-Schlüssel, Support',
  },
}
