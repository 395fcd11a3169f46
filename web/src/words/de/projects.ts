import { countedUpTo } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../projects.ts'

export const projects: Translated<typeof english.projects> = {
  title: 'Projekte',
  sub: 'Ein Projekt fasst Schlüssel zusammen und kann ein monatliches Ausgabenlimit haben (UTC).',
  create: 'Neues Projekt',
  createButton: 'Projekt erstellen',
  created: (name) => `Das Projekt ${name} wurde erstellt.`,
  columns: {
    name: 'Projekt',
    keys: 'Schlüssel',
    spent: 'In diesem Monat ausgegeben (UTC)',
    created: 'Erstellt',
  },
  noLimit: 'kein Limit',
  ofLimitShort: (limit) => `von ${limit}`,
  archived: 'Archiviert',
  archivedColumns: {
    name: 'Projekt',
    on: 'Archiviert',
    spent: 'In diesem Monat ausgegeben (UTC)',
  },
  none: 'Noch keine Projekte.',
  noneText: 'Jeder Schlüssel gehört zu einem Projekt.',
  name: 'Name',
  limit: 'Ausgabenlimit je Monat',
  limitHint:
    'Ab da werden Anfragen mit Schlüsseln dieses Projekts bis zum Monatsende (UTC) abgelehnt. ' +
    'Leer: kein Limit.',
}

export const project: Translated<typeof english.project> = {
  title: 'Projekt',
  crumb: 'Projekte',
  thisMonth: (month) => `${month} (UTC)`,
  spent: 'Bisher ausgegeben',
  left: 'Bis zum Limit übrig',
  limit: 'Limit',
  overLimit: 'Aufgebraucht: Anfragen werden bis zum Monatsende abgelehnt.',
  requests: 'Anfragen',
  usageLink: 'Nutzung anzeigen',
  keys: 'Schlüssel',
  keysLink: 'Alle Schlüssel anzeigen',
  keysColumns: {
    name: 'Schlüssel',
    shown: 'Anfang und Ende',
    used: 'Zuletzt benutzt',
    expires: 'Ablauf',
  },
  noKeys: 'Keine aktiven Schlüssel in diesem Projekt.',
  settings: 'Einstellungen',
  saved: 'Das Projekt wurde geändert.',
  id: 'Projekt-ID',
  created: 'Erstellt',
  archiveCard: 'Archivieren',
  archive: 'Archivieren',
  archiveText:
    'Seine Schlüssel funktionieren ab der nächsten Anfrage endgültig nicht mehr. Nutzung, ' +
    'Anfragen und Audit bleiben.',
  archiveTitle: (name) => `${name} archivieren?`,
  archiveDescription: (keys) =>
    countedUpTo(keys, {
      one:
        '# Schlüssel dieses Projekts funktioniert ab der nächsten Anfrage nicht mehr, in jedem ' +
        'Prozess. Das lässt sich nicht rückgängig machen.',
      other:
        '# Schlüssel dieses Projekts funktionieren ab der nächsten Anfrage nicht mehr, in jedem ' +
        'Prozess. Das lässt sich nicht rückgängig machen.',
    }),
  archiveNoKeys:
    'Es hat keine aktiven Schlüssel, und neue lassen sich darin nicht mehr erstellen. Das lässt ' +
    'sich nicht rückgängig machen.',
  archiveButton: 'Projekt archivieren',
  archivedNow: (name) => `Das Projekt ${name} wurde archiviert.`,
  isArchived: (date) => `Archiviert am ${date}. Seine Schlüssel funktionieren nicht mehr.`,
}
