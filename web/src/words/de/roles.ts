import type { Translated } from '../translated.ts'
import type * as english from '../roles.ts'

export const roles: Translated<typeof english.roles> = {
  names: { viewer: 'Betrachter', member: 'Mitglied', admin: 'Admin', owner: 'Eigentümer' },
  as: { viewer: 'Betrachter', member: 'Mitglied', admin: 'Admin', owner: 'Eigentümer' },
  may: {
    viewer: 'Sieht alles außer Einstellungen; ändert nichts, sendet keine Anfragen',
    member: 'Hat eigene Schlüssel und den Playground; sieht eigene Nutzung',
    admin: 'Alle Schlüssel, Projekte, Mitglieder, Ausgabenwarnungen',
    owner: 'Dazu Aufbewahrung, Anmeldung, Management-Schlüssel, Support',
  },
}
