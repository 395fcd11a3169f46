import type { Translated } from '../translated.ts'
import type * as english from '../operator-people.ts'

export const operatorPeople: Translated<typeof english.operatorPeople> = {
  title: 'Konten',
  sub: 'Alle, die sich registriert haben oder eingeladen wurden.',
  what: 'Konten',
  caption: 'Konten, neueste zuerst',
  search: 'E-Mail-Adresse, Name oder ID',
  state: 'Status',
  states: { waiting: 'Wartet', active: 'Aktiv', restricted: 'Gesperrt' },
  platformRole: 'Plattformrolle',
  platformRoles: { support: 'Support', operator: 'Betreiber' },
  noRole: 'Keine',
  address: 'E-Mail-Adresse',
  name: 'Name',
  created: 'Registriert',
  empty: 'Keine passenden Konten.',
  emptyText: 'Keine Adresse, kein Name und keine ID enthält diesen Text.',
  back: 'Konten',
  account: 'Konto',
  facts: 'Angaben',
  id: 'Konto-ID',
  verified: 'Adresse bestätigt',
  yes: 'Ja',
  no: 'Nein',
  byInvitation: 'Durch eine Einladung zugelassen',
  registered: 'Registrierung abgeschlossen',
  terms: 'Akzeptierte Bedingungen',
  secondFactor: 'Zweiter Faktor',
  sessions: 'Sitzungen',
  lastSeen: 'Zuletzt gesehen',
  organizations: 'Organisationen',
  organizationsCaption: 'Organisationen des Kontos',
  organization: 'Organisation',
  role: 'Rolle',
  membership: 'Mitgliedschaft',
  memberships: { active: 'Aktiv', removed: 'Entfernt' },
  noOrganizations: 'In keiner Organisation.',
  noOrganizationsText:
    'Ein Eigentümer kann diese Person einladen, oder Sie erstellen eine Organisation für sie.',
  restrict: 'Sperren',
  restrictTitle: (email) => `${email} sperren?`,
  restrictText:
    'Alle Sitzungen enden. Die Person sieht einen Satz und Ihren Kontakt. Schlüssel, die ihr ' +
    'gehören, enden mit der nächsten Anfrage, in jedem Prozess; Schlüssel von Organisationen ' +
    'funktionieren weiter.',
  activate: 'Aktivieren',
  activateTitle: (email) => `${email} aktivieren?`,
  activateText: 'Die Person kann sich ab jetzt anmelden.',
  admit: 'Freischalten',
  changed: 'Das Konto wurde geändert.',
  changeRole: 'Plattformrolle ändern',
  roleTitle: 'Plattformrolle',
  roleText: 'Support sieht hier alles und schaltet Leute frei. Betreiber ändern es auch.',
  signOut: 'Überall abmelden',
  signOutTitle: (email) => `${email} überall abmelden?`,
  signOutText: (sessions) => `Sitzungen, die mit dem nächsten Aufruf enden: ${sessions}.`,
  signedOut: 'Alle Sitzungen sind beendet.',
  resetFactors: 'Zweiten Faktor zurücksetzen',
  resetFactorsTitle: (email) => `Alle zweiten Faktoren von ${email} entfernen?`,
  resetFactorsText:
    'Prüfen Sie zuerst, wer fragt. Passkeys, Authenticator-App und Wiederherstellungscodes ' +
    'werden ' +
    'entfernt, alle Sitzungen enden, und die Person erhält eine E-Mail.',
  factorsReset: 'Die zweiten Faktoren wurden entfernt.',
  resetLink: 'Passwort-Link',
  resetTitle: 'Ein Link, der ein neues Passwort setzt',
  resetText: (email) =>
    `Er funktioniert einmal, innerhalb von 24 Stunden. Das Passwort von ${email} gilt, bis er ` +
    'verwendet wird.',
  makeLink: 'Link erzeugen',
  linkSent: (email) => `Der Link wurde an ${email} gesendet.`,
  linkShown:
    'Kopieren Sie den Link jetzt und übergeben Sie ihn selbst. Er wird nicht erneut angezeigt.',
  copyLink: 'Link kopieren',
}
