import type { Translated } from '../translated.ts'
import type * as english from '../deletion.ts'

export const deletion: Translated<typeof english.deletion> = {
  typeName: (name) => `Zum Bestätigen ${name} eingeben`,
  data: 'Ihre Daten',
  dataText:
    'Konto, Sitzungen, Schlüssel, Mitgliedschaften und was Sie getan haben, als JSON-Datei.',
  download: 'Meine Daten herunterladen',
  account: 'Konto löschen',
  accountHint: 'Endgültig. Sie verlieren jede Organisation, in der Sie Mitglied sind.',
  accountTitle: 'Ihr Konto löschen?',
  accountText:
    'Passwort, Passkeys, Sitzungen und Mitgliedschaften werden gelöscht, und API-Schlüssel, die ' +
    'Ihnen gehören, funktionieren ab der nächsten Anfrage nicht mehr. Schlüssel von ' +
    'Organisationen funktionieren weiter. Nutzung, Hauptbuch und Audit-Log behalten eine Nummer ' +
    'statt Ihres Namens. Das lässt sich nicht rückgängig machen.',
  accountDelete: 'Konto löschen',
  person: 'Konto löschen',
  personTitle: (email) => `${email} endgültig löschen?`,
  personText:
    'Die Person erhält eine E-Mail und verliert alles: Anmeldewege, Sitzungen, Mitgliedschaften ' +
    'und ab der nächsten Anfrage ihre API-Schlüssel. Nutzung, Hauptbuch und Audit-Log behalten ' +
    'eine Nummer statt des Namens. Das lässt sich nicht rückgängig machen.',
  personDeleted: 'Das Konto wurde gelöscht.',
  organization: 'Diese Organisation löschen',
  organizationHint: 'Endgültig, mit allem, was darin eingerichtet ist.',
  organizationTitle: (name) => `${name} endgültig löschen?`,
  organizationText:
    'Alle API-Schlüssel werden ab der nächsten Anfrage abgelehnt. Mitglieder verlieren die ' +
    'Organisation; SSO, Domains, Warnungen, Einladungen und aufbewahrte Inhalte werden gelöscht. ' +
    'Hauptbuch, Nutzung und Audit-Log bleiben beim Betreiber. Das lässt sich nicht rückgängig ' +
    'machen.',
  organizationDelete: 'Organisation löschen',
  organizationDeleted: (name) => `${name} wurde gelöscht.`,
  forfeit: 'Das restliche Guthaben verfällt',
  deleted:
    'Diese Organisation wurde gelöscht. Nur Hauptbuch, Nutzung und Audit-Log sind noch vorhanden.',
}
