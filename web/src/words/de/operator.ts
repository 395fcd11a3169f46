import { counted, countedUpTo } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../operator.ts'

export const operator: Translated<typeof english.operator> = {
  problems: {
    usage_log_unreachable: {
      title: 'Valkey ist nicht erreichbar.',
      text: 'Limits und laufende Anfragen sind derzeit nicht bekannt.',
    },
    usage_not_posted: {
      title: 'Nutzung wird verspätet gebucht.',
      text: 'Der älteste Datensatz wartet seit über 5 Minuten. Prüfen Sie, ob ein Worker läuft.',
    },
    usage_rejected: {
      title: 'Nutzungsdatensätze wurden zurückgewiesen.',
      text: 'Sie sind beiseitegelegt und nicht abgerechnet. Das Log des Workers nennt den Grund.',
    },
    ledger_unbalanced: {
      title: 'Die Summe des Hauptbuchs ist nicht null.',
      text: 'Rechnen Sie nicht danach ab, bevor die Differenz geklärt ist.',
    },
    reconciliation_differs: {
      title: 'Die Nutzung weicht von anderen Zählungen ab.',
      text: 'Vergleichen Sie die Stunden, die im Hauptbuch aufgeführt sind.',
    },
    process_unreachable: {
      title: 'Ein Prozess antwortet nicht.',
      text: 'Was er tut, ist in den Zahlen unten nicht enthalten.',
    },
    configuration_differs: {
      title: 'Prozesse laufen mit verschiedenen Konfigurationen.',
      text: 'Laden Sie die mit der alten Datei neu.',
    },
    engine_unhealthy: {
      title: 'Eine Engine ist ausgeschlossen.',
      text: 'Sie erhält keine Anfragen, bis eine Probe gelingt.',
    },
    engine_incapable: {
      title: 'Einer Engine fehlt eine Fähigkeit.',
      text: 'Anfragen, die sie brauchen, schlagen dort fehl.',
    },
  },
  showEngines: 'Engines anzeigen',
  showProcesses: 'Prozesse anzeigen',
  showLedger: 'Hauptbuch anzeigen',
  overview: {
    title: 'Betreiberübersicht',
    sub: (processes, organizations) =>
      `${counted(processes, { one: '# Prozess', other: '# Prozesse' })}, ${organizations}.`,
    organizations: (count, more) =>
      countedUpTo({ count, more }, { one: '# Organisation', other: '# Organisationen' }),
    findRequest: 'Anfrage finden',
    requestId: 'Anfrage-ID',
    requestHint: 'Die x-request-id einer Antwort. Jede Organisation.',
    find: 'Finden',
    now: 'Jetzt',
    allWell: 'Nichts braucht Ihre Aufmerksamkeit.',
    enginesUnknown:
      'Es wurde kein Problem gefunden, aber kein Prozess hat den Zustand seiner Engines gemeldet.',
    running: 'Laufende Anfragen',
    runningNote: 'Noch nicht abgerechnet',
    slots: 'Belegte Slots',
    ofSlots: (slots) => `von ${slots}`,
    slotsNote: (processes) =>
      counted(processes, { one: 'Auf # Prozess', other: 'Auf # Prozessen' }),
    lag: 'Rückstand des Workers',
    lagNote: (records) => `${records} Datensätze zu buchen`,
    waiting: 'Wartende Registrierungen',
    waitingNote: 'Älteste zuerst',
    processes: 'Prozesse',
    allReachable: 'Alle antworten',
    unreachable: (count) => `${count} nicht erreichbar`,
    rejected: 'Zurückgewiesene Datensätze',
    rejectedNote: 'Beiseitegelegt',
    checks: 'Prüfungen',
    moreThan: (count) => `mehr als ${count}`,
    waitingList: 'Warteliste',
    all: (count) => `Alle ${count}`,
    admitFoot: 'Das Freischalten sendet eine E-Mail und steht im Audit-Log.',
    nobodyWaits: 'Niemand wartet.',
    withoutOrganization: (count) =>
      counted(count, {
        one: '# freigeschaltete Person ist in keiner Organisation:',
        other: '# freigeschaltete Personen sind in keiner Organisation:',
      }),
    andMore: (count) => `und ${count} weitere`,
    processList: 'Prozesse',
    processesFoot: 'Genannt in console.api_health_urls.',
  },
  checks: {
    ledgerZero: 'Summe des Hauptbuchs ist null',
    ledgerOff: 'Summe des Hauptbuchs ist nicht null',
    ledgerUnknown: 'Hauptbuch noch nicht summiert',
    reconciled: 'Mit anderen Zählungen abgeglichen',
    notReconciled: 'Noch kein Abgleich',
    differs: (count) =>
      counted(count, { one: '# Stunde weicht ab', other: '# Stunden weichen ab' }),
    sameConfiguration: 'Gleiche Konfiguration',
    otherConfiguration: (count) => `${count} anders konfiguriert`,
    ofProcesses: (same, all) => `${same} von ${all}`,
    enginesUnknown: 'Zustand der Engines nicht bekannt',
    enginesHealthy: 'Alle Engines gesund',
    enginesUnhealthy: (count) =>
      counted(count, { one: '# Engine ausgeschlossen', other: '# Engines ausgeschlossen' }),
    enginesCapable: 'Keine Fähigkeit fehlt',
    enginesIncapable: (count) =>
      counted(count, {
        one: '# Engine fehlt eine Fähigkeit',
        other: '# Engines fehlt eine Fähigkeit',
      }),
    processesReachable: 'Alle Prozesse antworten',
    processesUnreachable: (count) =>
      counted(count, {
        one: '# Prozess nicht erreichbar',
        other: '# Prozesse nicht erreichbar',
      }),
  },
  engines: {
    kind: 'Art',
    processes: 'Prozesse',
    process: 'Prozess',
    state: 'Zustand',
    answers: 'Antwortet',
    unreachable: 'Nicht erreichbar',
    thisProcess: 'Diese Konsole',
    version: 'Version',
    started: 'Gestartet',
    configuration: 'Konfiguration',
    differs: 'Weicht ab',
    kinds: { api: 'API', worker: 'Worker', console: 'Konsole' },
  },
  waiting: {
    title: 'Warteliste',
    sub: 'Registrierte Personen, älteste zuerst. Das Freischalten sendet eine E-Mail.',
    what: 'Die Warteliste',
    caption: 'Konten, die auf Freischaltung warten, älteste zuerst',
    address: 'E-Mail-Adresse',
    domain: 'Domain',
    since: 'Wartet seit',
    verified: 'Adresse',
    isVerified: 'Bestätigt',
    notVerified: 'Nicht bestätigt',
    choose: 'Auswählen',
    chooseOne: (email) => `${email} auswählen`,
    chooseAll: 'Alle angezeigten auswählen',
    actions: 'Aktionen',
    admit: 'Freischalten',
    admitWho: (email) => `${email} freischalten`,
    admitMany: (count) => `${count} freischalten`,
    admitTitle: (who) => `${who} freischalten?`,
    people: (count) => counted(count, { one: '# Person', other: '# Personen' }),
    admitText: 'Sie können sich ab jetzt anmelden und erhalten je eine E-Mail.',
    admitOneText: 'Diese Person kann sich ab jetzt anmelden und erhält eine E-Mail.',
    withOrganization: 'Eine Organisation mit dieser Person als Eigentümer erstellen',
    unverified: 'Die Adresse ist nicht bestätigt: Jemand anderes könnte sie eingegeben haben.',
    unverifiedMany: (count) =>
      counted(count, {
        one: '# der Adressen ist nicht bestätigt: Jemand anderes könnte sie eingegeben haben.',
        other: '# der Adressen sind nicht bestätigt: Jemand anderes könnte sie eingegeben haben.',
      }),
    note: 'Notiz',
    noteHint: 'Warum. Sie bleibt im Audit-Log.',
    admitted: (count) =>
      counted(count, { one: '# Person freigeschaltet.', other: '# Personen freigeschaltet.' }),
    skipped: (count) => `${count} warteten nicht mehr.`,
    refuse: 'Ablehnen',
    refuseWho: (email) => `${email} ablehnen`,
    refuseTitle: (email) => `${email} ablehnen?`,
    refuseText:
      'Das Konto wird gesperrt: Die Person sieht einen Satz und Ihren Kontakt. ' +
      'Es wird keine E-Mail gesendet. Sie können das Konto später aktivieren.',
    refused: (email) => `${email} wurde abgelehnt.`,
    empty: 'Niemand wartet.',
    emptyText: 'Wer sich registriert, erscheint hier, bis Sie freischalten oder ablehnen.',
  },
  traffic: {
    title: 'Verkehr',
    meta: 'Letzte Minute, alle Prozesse',
    requests: 'Anfragen/s',
    tokens: 'Ausgabe-Tokens/s',
    refusals: 'Fehler in der letzten Minute',
    none: 'Keine',
  },
  audit: {
    title: 'Audit-Log des Dienstes',
    sub: 'Jede Änderung, von Betreibern und allen Organisationen, neueste zuerst.',
    supportSub:
      'Änderungen außerhalb von Organisationen. Für die einer Organisation braucht es die ' +
      'Zustimmung eines Eigentümers.',
    organization: 'Organisation (Slug oder ID)',
    inOrganization: 'Organisation',
    account: 'Konto',
  },
}
