import type { Translated } from '../translated.ts'
import type * as english from '../limits.ts'

export const limits: Translated<typeof english.limits> = {
  title: 'Limits',
  sub: (organization) =>
    `Gezählt über alle Schlüssel von ${organization}. ` +
    'Minutenlimits füllen sich gleichmäßig auf, Tageslimits beginnen um 00:00 UTC neu.',
  fromPlan: (plan) => `Aus dem Tarif ${plan}`,
  overridden: 'Für diese Organisation festgelegt',
  refusals: 'So sieht eine Ablehnung aus',
  refusalsMeta: 'Mit den aktuellen Headern',
  tooMany: '429 Zu viele Anfragen',
  tooManyText:
    'Die Anfrage würde ein Limit überschreiten. Sie kostet nichts. ' +
    'Wiederholen Sie sie nach der Zeit in retry-after-ms; SDKs tun das von selbst.',
  noFunds: '402 Zahlung erforderlich',
  noFundsText:
    'Guthaben, Kreditlimit oder Ausgabenlimit decken nicht, was die Anfrage kosten kann. ' +
    'Wiederholen hilft nicht.',
  answers: 'Antworten',
  keys: 'Aktivste Schlüssel',
  keysMeta: (from) => `Seit ${from}`,
  keysCaption: 'Nutzung je Schlüssel in dieser und der vorigen Stunde',
  keysEmpty: 'Keine Nutzung in der letzten Stunde.',
  key: 'Schlüssel',
  playground: (name) => `Playground von ${name}`,
  unknownKey: 'Unbekannter Schlüssel',
  requests: 'Anfragen',
  tokens: 'Tokens',
  more: 'Höhere Limits anfragen',
  moreText:
    'Der Betreiber legt die Limits fest. Diese Zahlen in Ihrer Nachricht helfen ihm bei der ' +
    'Entscheidung.',
  copy: 'Zahlen kopieren',
  contact: 'Dem Betreiber schreiben',
  subject: 'Höhere Limits',
  figures: 'Zahlen',
  message: (organization, plan) =>
    `Die Organisation ${organization} (Tarif ${plan}) bittet um höhere Limits.`,
  messageLine: (name, used, limit) => `${name}: ${used} von ${limit} verbraucht`,
  running: 'Laufende Anfragen',
}
