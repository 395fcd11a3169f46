import { counted } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../operator-engines.ts'

export const operatorEngines: Translated<typeof english.operatorEngines> = {
  states: {
    ready: 'Bereit',
    suspect: 'Verdächtig',
    ejected: 'Ausgeschlossen',
    trial: 'Auf Probe',
    warming: 'Wärmt auf',
    misconfigured: 'Falsch konfiguriert',
    draining: 'Wird entleert',
    disabled: 'Deaktiviert',
  },
  orders: {
    draining: {
      act: 'Entleeren',
      title: (engine) => `${engine} entleeren?`,
      text: 'Sie erhält keine neuen Anfragen. Laufende werden beendet.',
      done: (engine) => `${engine} wird entleert.`,
    },
    disabled: {
      act: 'Deaktivieren',
      title: (engine) => `${engine} deaktivieren?`,
      text: 'Sie erhält keine neuen Anfragen und wird nicht mehr geprüft. Laufende werden beendet.',
      done: (engine) => `${engine} ist deaktiviert.`,
    },
    enabled: {
      act: 'Aktivieren',
      title: (engine) => `${engine} aktivieren?`,
      text: 'Anfragen gehen wieder an sie, sobald sie arbeitet.',
      done: (engine) => `${engine} ist aktiviert.`,
    },
  },
  title: 'Engines',
  sub:
    'Alle API-Prozesse teilen die Zustände der Engines. Entleeren und Deaktivieren gelten ' +
    'überall.',
  what: 'Engines',
  caption: 'Engines mit Zustand, Slots und Geschwindigkeit',
  meta: (used, all) => `${used} von ${all} Slots belegt`,
  explained:
    'Gefüllt: belegt. Umrandet: von einem Prozess für seine nächsten Anfragen gehalten. In der ' +
    'Engine: Anfragen, die trotz Slot in der Engine warten.',
  engine: 'Engine',
  state: 'Zustand',
  slots: 'Slots',
  inside: 'In der Engine',
  waitingInside: 'Warten in der Engine',
  firstToken: 'Erstes Token',
  speed: 'Tokens/s',
  cached: 'Im Cache',
  capabilities: 'Fähigkeiten',
  actions: 'Aktionen',
  actionsOf: (engine) => `Aktionen für ${engine}`,
  slotsOf: (engine) => `Slots von ${engine}`,
  usedOf: (used, all) => `${used} von ${all} belegt`,
  held: (count) => `${count} gehalten`,
  found: (found, told) => `${found} von ${told} nutzbar`,
  ordered: (note, by) =>
    [note === null || note === '' ? null : `„${note}“`, by]
      .filter((part) => part !== null)
      .join(' · '),
  unknown: 'Unbekannt',
  notProbed: 'Nicht geprüft',
  conforms: 'Nichts fehlt',
  missing: 'Es fehlt:',
  faults: (count, kind, organizations) => `${count} × ${kind}, ${organizations}`,
  organizations: (count) => counted(count, { one: '# Organisation', other: '# Organisationen' }),
  unreachable: 'nicht erreichbar',
  milliseconds: (count) => `${count} ms`,
  none: 'Es sind keine Prozesse konfiguriert.',
  noneText:
    'Tragen Sie die Health-Ports der API-Prozesse in console.api_health_urls ein, um hier ' +
    'Engines ' +
    'zu sehen.',
  queues: 'Warteschlangen',
  queuesCaption: 'Warteschlangen aller Prozesse nach Modell',
  model: 'Modell',
  running: 'Laufend',
  waiting: 'Wartend',
  expected: 'Erwartet',
  seconds: (count) => `${count} s`,
  refused: 'Abgelehnt',
  refusedSince:
    'Seit die Prozesse gestartet sind: Die Warteschlange war voll oder die Wartezeit zu lang.',
  heaviest: 'Größte Verbraucher',
  heaviestMeta: 'Anteil an den Tokens der letzten Minuten',
  nobody: 'In den letzten Minuten wurden keine Tokens verbraucht.',
  processes: 'Prozesse',
}
