import { counted } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../sign-in-rules.ts'

export const rules: Translated<typeof english.rules> = {
  card: 'Regeln',
  text: 'Sie gelten für jedes Mitglied ab dem nächsten Aufruf seiner Sitzungen.',
  ssoOnly: 'Nur SSO',
  ssoOnlyText:
    'Mitglieder melden sich über einen Identity-Provider dieser Organisation an; Sitzungen, die ' +
    'mit Passwort oder Passkey begonnen haben, enden.',
  secondFactor: 'Zweiter Faktor für alle',
  secondFactorText:
    'Mitglieder melden sich mit Passkey, Einmalcode oder Identity-Provider an; wer das nicht ' +
    'hat, ' +
    'richtet es zuerst ein.',
  sessionHours: 'Längste Sitzung, in Stunden',
  sessionHoursText: 'Danach melden sich Mitglieder neu an. Leer: so lange, wie der Dienst erlaubt.',
  save: 'Speichern',
  saved: 'Die Anmelderegeln wurden geändert.',
  title: 'Anmeldung der Mitglieder ändern?',
  consequences: {
    ssoOnly:
      'Mitglieder, die sich nicht über den Identity-Provider angemeldet haben, werden beim ' +
      'nächsten Aufruf dazu aufgefordert.',
    noSsoOnly: 'Mitglieder dürfen sich wieder mit Passwort oder Passkey anmelden.',
    secondFactor:
      'Mitglieder ohne zweiten Faktor müssen einen einrichten, bevor sie weiterarbeiten.',
    noSecondFactor: 'Mitglieder dürfen sich mit einem Passwort allein anmelden.',
    sessionHours: (hours) =>
      hours === null
        ? 'Sitzungen dauern so lange, wie der Dienst erlaubt.'
        : counted(hours, {
            one: 'Sitzungen, die älter als # Stunde sind, enden jetzt.',
            other: 'Sitzungen, die älter als # Stunden sind, enden jetzt.',
          }),
  },
  change: 'Regeln ändern',
}

export const connections: Translated<typeof english.connections> = {
  card: 'Identity-Provider (OpenID Connect)',
  none: 'Noch kein Identity-Provider.',
  noneText: 'Damit melden sich Mitglieder mit dem Konto Ihres Unternehmens an.',
  add: 'Provider hinzufügen',
  addTitle: 'Identity-Provider hinzufügen',
  addText:
    'Registrieren Sie beim Provider eine Anwendung mit dieser Redirect-URI. Sie erhalten ' +
    'dort eine ' +
    'Client-ID und ein Geheimnis, die Sie hier eingeben.',
  added: (name) => `${name} wurde hinzugefügt. „Testen“ zeigt, ob er antwortet.`,
  changeTitle: (name) => `${name} ändern`,
  name: 'Name',
  nameHint: 'Erscheint auf der Anmeldeseite.',
  issuer: 'Issuer',
  issuerHint: 'Die https-Adresse, unter der /.well-known/openid-configuration liegt.',
  clientId: 'Client-ID',
  clientSecret: 'Client-Geheimnis',
  secretHint: 'Verschlüsselt gespeichert, nie wieder angezeigt.',
  secretKeep: 'Leer lassen, um das aktuelle zu behalten.',
  role: 'Rolle neuer Personen',
  roleHint: 'Für Personen, die sich zum ersten Mal anmelden.',
  save: 'Speichern',
  changed: (name) => `${name} wurde geändert.`,
  redirect: 'Redirect-URI',
  logout: 'Back-Channel-Logout-URI',
  logoutHint: 'Optional. Damit wird hier abgemeldet, wer sich beim Provider abmeldet.',
  redirectHint: 'Registrieren Sie sie genau so beim Provider. Sie gehört nur zu dieser Verbindung.',
  test: 'Testen',
  testHint: (name) => `Geht zu ${name} und kommt mit dieser Sitzung bestätigt zurück.`,
  edit: 'Ändern',
  remove: 'Entfernen',
  removeTitle: (name) => `${name} entfernen?`,
  removeText:
    'Ab dem nächsten Versuch kann sich niemand mehr damit anmelden. Sitzungen, die damit ' +
    'begonnen ' +
    'haben, laufen weiter, bis sie enden. Wenn nur SSO erlaubt ist und dies der letzte Provider ' +
    'ist, kann sich niemand anmelden.',
  removed: (name) => `${name} wurde entfernt.`,
}

export const provisioning: Translated<typeof english.provisioning> = {
  card: 'Provisionierung (SCIM 2.0)',
  text:
    'Ihr Identity-Provider erstellt Mitglieder und beendet Mitgliedschaften selbst. Er ' +
    'entscheidet ' +
    'nur über Adressen in Ihren verifizierten Domains.',
  baseUrl: 'Basis-URL',
  tokens: 'Tokens',
  none: 'Noch keine Tokens.',
  create: 'Neues Token',
  createTitle: 'Neues SCIM-Token',
  createText: 'Damit verwaltet ein Identity-Provider die Mitglieder dieser Organisation.',
  name: 'Name',
  nameHint: 'Erscheint in Listen und im Audit-Log.',
  createButton: 'Token erstellen',
  createdTitle: 'Token jetzt kopieren',
  createdText: 'Wir speichern nur den Hash; das Token lässt sich nicht erneut anzeigen.',
  token: 'SCIM-Token',
  never: 'Nie benutzt',
  used: 'Zuletzt benutzt',
  revoked: 'Widerrufen',
  revoke: 'Widerrufen',
  revokeTitle: (name) => `${name} widerrufen?`,
  revokeText: 'Der Provider kann ab dem nächsten Aufruf nichts mehr ändern. Mitglieder bleiben.',
  revokedNow: (name) => `${name} wurde widerrufen.`,
}

export const groupRoles: Translated<typeof english.groupRoles> = {
  card: 'Rollen von Gruppen',
  text:
    'Mitglieder einer Gruppe Ihres Providers erhalten diese Rolle; bei mehreren gilt die ' +
    'höchste. ' +
    'Alle anderen treten als Mitglied bei.',
  none: 'Keine Gruppe gibt eine Rolle.',
  group: 'Gruppe',
  role: 'Rolle',
  add: 'Gruppe hinzufügen',
  remove: (group) => `${group} entfernen`,
  newGroup: 'die neue Gruppe',
  save: 'Speichern',
  saved: 'Die Rollen von Gruppen wurden geändert.',
  title: 'Rollen von Gruppen ändern?',
  change: 'Rollen ändern',
  consequence: 'Mitglieder dieser Gruppen haben die neue Rolle ab dem nächsten Aufruf.',
  owners: 'Wer bei Ihrem Provider Gruppen verwaltet, kann Eigentümer ernennen.',
}

export const networks: Translated<typeof english.networks> = {
  card: 'Erlaubte Netze',
  text:
    'Mitglieder, Schlüssel jeder Art, SCIM und der Playground werden aus jedem anderen Netz ' +
    'abgelehnt. Leer: keine Einschränkung.',
  list: 'Netze, eines je Zeile',
  placeholder: '192.0.2.0/24',
  save: 'Speichern',
  saved: 'Die erlaubten Netze wurden geändert.',
  title: 'Erlaubte Netze ändern?',
  restrict:
    'Aufrufe aus jedem anderen Netz werden ab jetzt abgelehnt, auch die von API-Schlüsseln.',
  lift: 'Mitglieder und Schlüssel dürfen aus jedem Netz aufrufen.',
  change: 'Netze ändern',
}

export const domains: Translated<typeof english.domains> = {
  card: 'Domains',
  text:
    'Wessen Adresse zu einer verifizierten Domain gehört, wird bei der Anmeldung zu Ihrem ' +
    'Identity-Provider geleitet.',
  add: 'Domain hinzufügen',
  domain: 'Domain',
  placeholder: 'example.com',
  added: (domain) => `${domain} wurde hinzugefügt. Setzen Sie zum Verifizieren den DNS-Eintrag.`,
  verified: 'Verifiziert',
  waiting: 'Nicht verifiziert',
  missing: 'Eintrag fehlt',
  setRecord:
    'Setzen Sie diesen Eintrag bei Ihrem DNS-Anbieter und verifizieren Sie dann. Es kann einige ' +
    'Minuten dauern, bis er sichtbar ist.',
  recordName: 'Name',
  recordType: 'Typ',
  recordValue: 'Wert',
  verify: 'Verifizieren',
  isVerified: (domain) => `${domain} ist verifiziert.`,
  remove: 'Entfernen',
  removeTitle: (domain) => `${domain} entfernen?`,
  removeText:
    'Personen mit dieser Domain werden nicht mehr zu Ihrem Identity-Provider geleitet, und ' +
    'niemand ' +
    'Neues kann darüber beitreten.',
  removed: (domain) => `${domain} wurde entfernt.`,
}
