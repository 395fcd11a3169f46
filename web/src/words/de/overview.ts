import { counted } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../overview.ts'

export const overview: Translated<typeof english.overview> = {
  title: 'Übersicht',
  sub: (organization) =>
    `Limits zählen über alle Schlüssel von ${organization}. Tage beginnen um 00:00 UTC.`,
  playground: 'Playground öffnen',
  createKey: 'Schlüssel erstellen',
  lastDay: 'Letzte 24 Stunden',
  completed: 'abgeschlossen',
  failed: 'fehlgeschlagen',
  other: 'Andere Ergebnisse',
  requests: 'Anfragen',
  failedRequests: 'Fehlgeschlagen',
  thisHour: 'Diese Stunde bisher',
  zone: 'Zeitzone',
  chart: (requests, failed) =>
    `Anfragen je Stunde der letzten 24 Stunden: insgesamt ${requests}, davon ${failed} ` +
    'fehlgeschlagen.',
  moreFailed: (count) => `${count} oder mehr`,
  hour: 'Stunde',
  figures: 'Daten des Diagramms',
  balance: 'Guthaben',
  addMoney: 'Guthaben aufladen',
  billing: 'Abrechnung',
  free: 'Verfügbares Guthaben',
  spentMonth: (month) => `Ausgegeben im ${month} (UTC)`,
  spentToday: 'Heute ausgegeben (UTC)',
  onBalance: 'Guthaben',
  reservedBy: (count) =>
    counted(count, {
      one: 'Reserviert von # laufenden Anfrage',
      other: 'Reserviert von # laufenden Anfragen',
    }),
  reserved: 'Von laufenden Anfragen reserviert',
  lasts: (days) => `Beim Verbrauch der letzten 7 Tage reicht das etwa ${days} Tage.`,
  forecast: (amount) => `Prognose für den Monat, aus den letzten 7 Tagen: ${amount}.`,
  refused: 'Keine Anfrage kann es jetzt ausgeben: Alle werden abgelehnt.',
  nothingLeft: 'Für neue Anfragen ist nichts übrig.',
  nothingSpent: 'Noch keine Prognose: keine Ausgaben in den letzten 7 Tagen.',
  noBilling: 'Dieser Tarif wird nicht abgerechnet.',
  usageToday: 'Heute (UTC)',
  usageMonth: (month) => `${month} (UTC)`,
  models: 'Modelle',
  modelsMeta: 'Mediane Ihrer eigenen Anfragen, letzte 24 Stunden',
  model: 'Modell',
  state: 'Status',
  firstToken: 'Erstes Token',
  tokensPerSecond: 'Tokens/s',
  spark: '24 Stunden',
  sparkOf: (model) => `Anfragen je Stunde an ${model}`,
  cost: (currency) => (currency === '' ? 'Kosten' : `Kosten, ${currency}`),
  noModels: 'Ihr Tarif hat keine Modelle.',
  refusals: 'Neueste Ablehnungen',
  all: 'Alle',
  noRefusals: 'In den letzten 7 Tagen wurde keine Anfrage abgelehnt.',
}
