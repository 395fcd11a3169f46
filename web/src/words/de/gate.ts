import type { Translated } from '../translated.ts'
import type * as english from '../gate.ts'

export const gate: Translated<typeof english.gate> = {
  noOrganization: 'Kein Zugriff',
  noOrganizationText: (slug, email) =>
    `Die Organisation „${slug}“ gibt es nicht, oder Sie haben keinen Zugriff. Sie sind ${email}.`,
  own: 'Ihre Organisationen',
  switchAccount: 'Konto wechseln',
  wrongRole: 'Nicht für Ihre Rolle',
  only: (who, role) => `Diese Seite sehen nur ${who}. Ihre Rolle: ${role}.`,
  ask: (names) => `Wenden Sie sich an ${names}.`,
  addMoney: 'Guthaben aufladen',
  whoPays: (organization) => `Inhaber und Admins von ${organization} laden per Karte auf.`,
  notOperator: 'Diese Seite sehen nur Betreiber und Support dieses Dienstes.',
  many: { viewer: 'Betrachter', member: 'Mitglieder', admin: 'Admins', owner: 'Eigentümer' },
}
