import { pluralOf } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../request.ts'

// Figures between asterisks are shown in bold.

const limits: Readonly<Record<string, string>> = {
  requests_per_minute: 'Anfragen pro Minute',
  requests_per_day: 'Anfragen pro UTC-Tag',
  tokens_per_minute: 'Tokens pro Minute',
  tokens_per_day: 'Tokens pro UTC-Tag',
  concurrent_requests: 'gleichzeitige Anfragen',
  key_concurrent_requests: 'gleichzeitige Anfragen je Schlüssel',
  model_concurrent_requests: 'gleichzeitige Anfragen je Modell',
  key_requests_per_minute: 'Anfragen pro Minute je Schlüssel',
}

export const request: Translated<typeof english.request> = {
  back: 'Anfragen',
  copyLink: 'Link kopieren',
  linkCopied: 'Link kopiert.',
  openInPlayground: 'Im Playground öffnen',
  replays: (whole) =>
    whole
      ? 'Modell, Parameter und Text, aus diesem Tab'
      : 'nur Modell und Projekt; die Konsole speichert weder Parameter noch Text',
  notFoundTitle: 'Anfrage in dieser Organisation nicht gefunden.',
  notFound:
    'Sie wurde vor der Authentifizierung abgelehnt, gehört einer anderen Organisation oder ist ' +
    'älter als das, was aufbewahrt wird (7 Tage für Ablehnungen).',
  maybeRunning: 'Sie ist neu und läuft vielleicht noch. Diese Seite sieht alle 3 s nach.',
  reasons: {
    insufficient_balance: 'Guthaben reicht nicht',
    credit_limit_reached: 'Kreditlimit ausgeschöpft',
    context_length_exceeded: 'zu lang für das Modell',
    model_not_found: 'kein solches Modell',
    plan_access_denied: 'nicht im Tarif',
    request_too_large: 'zu groß',
    service_unavailable: 'keine Kapazität',
    infrastructure_rate_limit_exceeded: 'keine Kapazität',
    rate_limit_unavailable: 'Limits nicht prüfbar',
    upstream_unavailable: 'keine Engine hat geantwortet',
  },
  limitName: (name) => limits[name] ?? name,
  titles: {
    completed: (duration, cost) =>
      cost === null ? `In ${duration} abgeschlossen` : `In ${duration} für ${cost} abgeschlossen`,
    failed: (code) => (code === null ? 'An der Engine fehlgeschlagen' : `Fehlgeschlagen: ${code}`),
    abandoned: (duration) => `Nach ${duration} vom Client abgebrochen`,
    lost: 'Verloren: Ihr Prozess endete vor der Anfrage',
    refused: (what) => `Abgelehnt: ${what}`,
  },
  says: {
    waited: (queued) => `Sie wartete *${queued}* auf einen Slot`,
    firstToken: (first) => `sendete ihr erstes Token nach *${first}*`,
    noPiece: 'sendete keine Tokens',
    speed: (tokens, rate) => `lieferte ${tokens} Tokens mit *${rate}* pro Sekunde`,
    tokens: (tokens) => `lieferte ${tokens} Tokens`,
    and: (list) => `${list}.`,
    needed: (needed, left, unit) => `Sie brauchte *${needed}* ${unit}, übrig: *${left}*.`,
    later: (wait) => `Sie wäre *${wait}* später angenommen worden.`,
    exceeded: (names) => `Sie hat dieses Limit überschritten: ${names}.`,
    byCode: (code) => `Sie wurde mit ${code} abgelehnt.`,
    atParam: (param) => `Der Grund ist der Parameter ${param}.`,
    nothingUsed: 'Nichts wurde verbraucht und nichts berechnet.',
  },
  units: {
    tokens: 'Tokens',
    requests: (count) => pluralOf(count, { one: 'Anfrage', other: 'Anfragen' }),
  },
  basis: {
    engine: 'Von der Engine gezählt.',
    engine_partial: 'Von der Engine gezählt, bis die Verbindung abbrach.',
    checkpoint: 'Vom letzten Zwischenstand vor dem Ende ihres Prozesses.',
    none: 'Die Engine hat keine Zählung gemeldet.',
  },
  lanes: {
    waiting: (time) => `Warten ${time}`,
    answer: (time) => `Reasoning und Text ${time}`,
  },
  happened: 'Was geschah',
  steps: {
    authenticated: 'Authentifiziert',
    byKey: 'Mit dem Schlüssel {name} des Projekts {project}.',
    byPlayground: 'Aus dem Playground von {name}, Projekt {project}.',
    admitted: 'Zugelassen',
    reserved: (amount) => `*${amount}* reserviert, der höchste Fall, bis zur Abrechnung.`,
    unreserved: 'In diesem Tarif ist kein Guthaben nötig.',
    queued: 'Wartete auf einen Slot',
    queuedText: (time, model) => `${time}, bis ein Slot von ${model} frei wurde.`,
    firstToken: 'Erstes Token',
    afterSlot: (time) => `${time} nach dem Slot.`,
    cached: (cached, input) => `${cached} von ${input} Eingabe-Tokens waren im Cache der Engine.`,
    noFirstToken: 'Keine Tokens',
    noFirstTokenText: 'Die Antwort endete, bevor die Engine etwas gesendet hat.',
    answer: 'Reasoning, dann Text',
    plainAnswer: 'Antwort',
    answerText: (reasoning, text) => `${reasoning} Tokens Reasoning, ${text} Text.`,
    plainText: (text) => `${text} Tokens.`,
    settled: 'Abgerechnet',
    posted: 'Im Hauptbuch gebucht',
    postedText: (outcome, basis) => `Ergebnis ${outcome}, Grundlage ${basis}.`,
    refused: 'Nicht zugelassen',
    refusedLimits:
      'Alle Limits werden zusammen geprüft. Eines hat abgelehnt, daher wurde keines belastet.',
    refusedOther: 'Sie wurde abgelehnt, bevor eine Generierung begann.',
    answered: (status) => `Mit ${status} beantwortet`,
    notReached: 'Nicht erreicht: Generierung',
  },
  ends: {
    completed: 'Reservierung freigegeben, Kosten berechnet.',
    failed:
      'Die Generierung ist fehlgeschlagen. Was die Engine bis dahin gezählt hat, wurde berechnet.',
    abandoned:
      'Der Client hat abgebrochen; der Slot der Engine wurde frei, und die bisherigen Tokens ' +
      'wurden berechnet.',
    lost: 'Der Worker hat den Datensatz geschlossen, als der Prozess nicht mehr antwortete.',
  },
  failedFree: 'Die Generierung ist fehlgeschlagen. Nichts wurde berechnet.',
  check: {
    caption: 'Die Limits',
    limit: 'Limit',
    needed: 'Benötigt',
    left: 'Übrig',
    neededUnit: 'benötigt',
    leftUnit: 'übrig',
    of: 'Von',
    result: 'Ergebnis',
    fits: 'passt',
    short: (count) => `${count} zu wenig`,
    missing: 'zu wenig',
    toWait: 'zu warten',
    perSecond: (rate) => `${rate} pro s`,
    aMinute: (limit) => `${limit} pro Minute`,
  },
  cost: {
    title: 'Kosten',
    table: 'Tokens mal Preis',
    meta: (currency) => `Preise bei der Zulassung, ${currency} je Million`,
    lines: { input: 'Eingabe', cached_input: 'Eingabe aus Cache', output: 'Ausgabe' },
    sum: 'Summe',
    rounded: 'Abgerundet',
    none: 'In diesem Tarif wird nichts berechnet.',
  },
  facts: {
    playground: 'Playground',
    title: 'Anfrage',
    id: 'Anfrage-ID',
    model: 'Modell',
    project: 'Projekt',
    key: 'Schlüssel',
    unknownKey: 'API-Schlüssel',
    replay: 'Öffnet im Playground mit',
    inputTokens: 'Eingabe-Tokens',
    cachedTokens: 'davon aus Cache',
    outputTokens: 'Ausgabe-Tokens',
    reasoningTokens: 'davon Reasoning',
    retention: 'Aufbewahrung',
    cost: 'Kosten',
    settled: 'Abgerechnet',
    trace: 'Trace (falls erfasst)',
    openTrace: 'Öffnen',
  },
  retentions: {
    zero: 'nichts aufbewahrt',
    standard: 'für eine Zeit aufbewahrt',
    contributor: 'aufbewahrt und beigetragen',
  },
  advice: {
    title: 'Was Sie tun können',
    kept: 'Ablehnungen werden 7 Tage aufbewahrt. Der Text der Anfrage nicht.',
    addMoney: 'Guthaben aufladen',
    limits: 'Ihre Limits anzeigen',
    minute: [
      'Warten Sie retry-after-ms ab. Die meisten SDKs tun das von selbst.',
      'Senden Sie weniger: Die Schätzung ist Bytes der Eingabe durch Bytes je Token des Modells.',
      'Verteilen Sie Anfragen über die Minute: Die Kapazität füllt sich gleichmäßig auf.',
    ],
    day: [
      'Das Tageslimit beginnt um 00:00 UTC neu.',
      'Bitten Sie den Betreiber um ein höheres Limit.',
    ],
    byCode: {
      insufficient_balance: [
        'Laden Sie Guthaben auf oder erhöhen Sie das Ausgabenlimit von Projekt oder Schlüssel.',
        'Senken Sie max_completion_tokens: Der höchste Fall wird vor der Anfrage reserviert.',
      ],
      credit_limit_reached: [
        'Bezahlen Sie offene Rechnungen oder bitten Sie den Betreiber um ein höheres Kreditlimit.',
        'Senken Sie max_completion_tokens: Der höchste Fall wird vor der Anfrage reserviert.',
      ],
      context_length_exceeded: [
        'Kürzen Sie die Konversation oder senken Sie max_completion_tokens.',
        'Wählen Sie ein Modell mit längerem Kontext.',
      ],
      model_not_found: ['Senden Sie die ID eines Modells, das Ihr Tarif enthält.'],
      plan_access_denied: [
        'Bitten Sie einen Eigentümer oder den Betreiber um einen Tarif, der das erlaubt.',
      ],
      request_too_large: ['Senden Sie einen kleineren Body.'],
    },
    parameter: ['Ändern Sie den Parameter, den der Fehler nennt, und senden Sie erneut.'],
    again: [
      'Mit der Anfrage ist alles in Ordnung. Senden Sie sie nach kurzer Zeit erneut; die meisten ' +
        'SDKs tun das von selbst.',
    ],
  },
}
