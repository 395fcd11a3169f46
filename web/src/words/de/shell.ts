import type { Translated } from '../translated.ts'
import type * as english from '../shell.ts'

export const shell: Translated<typeof english.shell> = {
  goTo: 'Gehe zu …',
  mainNavigation: 'Hauptnavigation',
  menu: 'Menü',
  plan: (plan) => `Tarif: ${plan}`,
  operatorArea: 'Betreiber',
  supportSubtitle: 'Support-Zugriff',
  account: 'Ihr Konto',
  signOut: 'Abmelden',
  language: 'Sprache',
  theme: 'Farbschema',
  themes: { system: 'System', light: 'Hell', dark: 'Dunkel' },
  shortcuts: 'Tastenkürzel',
  help: 'Hilfe',
  docs: 'Dokumentation',
  status: 'Status des Dienstes',
  live: (time) => `Live · ${time}`,
  asOf: (time) => `Stand ${time}`,
  observe: 'Beobachten',
  manage: 'Verwalten',
  newOrganization: 'Neue Organisation',
  pages: {
    overview: 'Übersicht',
    keys: 'API-Schlüssel',
    playground: 'Playground',
    usage: 'Nutzung',
    requests: 'Anfragen',
    limits: 'Limits',
    models: 'Modelle',
    billing: 'Abrechnung',
    projects: 'Projekte',
    members: 'Mitglieder',
    audit: 'Audit',
    settings: 'Einstellungen',
  },
}

export const sessionEnded: Translated<typeof english.sessionEnded> = {
  title: 'Ihre Sitzung ist beendet',
  text: (email) => `Melden Sie sich in einem neuen Tab wieder als ${email} an.`,
  kept: 'Was Sie eingegeben haben, bleibt. Diese Seite geht weiter, sobald Sie angemeldet sind.',
  signIn: 'Erneut anmelden',
  drop: 'Eingaben verwerfen',
}

export const refusedStrip: Translated<typeof english.refusedStrip> = {
  reasons: {
    suspended: 'Der Betreiber hat diese Organisation gesperrt. Anfragen erhalten 403. Grund:',
    no_balance: 'Vom Guthaben ist nichts übrig. Anfragen erhalten 402, bis Geld hinzukommt.',
    no_credit:
      'Das Kreditlimit ist ausgeschöpft. Anfragen erhalten 402, bis eine Rechnung bezahlt oder ' +
      'das Limit erhöht ist.',
    exhausted: 'Der Betreiber hat das Guthaben für aufgebraucht erklärt. Anfragen erhalten 402.',
    conflict:
      'Die Abrechnung dieser Organisation wird gerade geändert. Bis dahin erhalten Anfragen 409.',
    overdue: 'Eine Rechnung ist überfällig. Anfragen erhalten 402, bis sie bezahlt ist.',
  },
  addMoney: 'Guthaben aufladen',
  billing: 'Abrechnung öffnen',
  ask: (organization) => `Wenden Sie sich an einen Eigentümer oder Admin von ${organization}.`,
}

export const supportBar: Translated<typeof english.supportBar> = {
  name: 'Support-Zugriff',
  text: (organization, until) =>
    `Sie lesen ${organization} mit Support-Zugriff bis ${until}. Die Eigentümer sehen, was ` +
    'Sie lesen.',
  leave: 'Verlassen',
}
