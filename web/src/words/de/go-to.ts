import { counted } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../go-to.ts'

export const goTo: Translated<typeof english.goTo> = {
  title: 'Gehe zu',
  placeholder: 'Seite, Aktion, Name oder Anfrage-ID',
  groups: {
    request: 'Anfrage',
    pages: 'Seiten',
    actions: 'Aktionen',
    keys: 'Schlüssel',
    projects: 'Projekte',
    models: 'Modelle',
    members: 'Mitglieder',
    organizations: 'Organisationen',
    account: 'Ihr Konto',
    operator: 'Betreiber',
  },
  createKey: 'Schlüssel erstellen',
  invite: 'Mitglied einladen',
  themes: {
    light: 'Helles Design',
    dark: 'Dunkles Design',
    system: 'Design des Systems',
  },
  request: (id) => `Anfrage ${id}`,
  nothing: 'Nichts gefunden.',
  results: (count) => counted(count, { one: '# Treffer', other: '# Treffer' }),
  hints: [
    ['↑ ↓', 'wählen'],
    ['Enter', 'öffnen'],
    ['Esc', 'schließen'],
  ],
}
