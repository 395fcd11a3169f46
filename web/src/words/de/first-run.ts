import type { Translated } from '../translated.ts'
import type * as english from '../first-run.ts'

export const firstRun: Translated<typeof english.firstRun> = {
  sub: 'Drei Schritte bis zur ersten Antwort. Sie haken sich von selbst ab.',
  steps: 'Erste Schritte',
  createKey: 'Schlüssel erstellen',
  createText: 'Mit einem Schlüssel ruft ein Programm die API auf. Er wird einmal angezeigt.',
  create: 'Schlüssel erstellen',
  askForKey: 'Bitten Sie einen Admin um einen Schlüssel: Ihre Rolle darf keinen erstellen.',
  hasKey: (project, ends) => `im Projekt ${project}, ${ends}.`,
  endsOn: (date) => `läuft ab am ${date}`,
  neverEnds: 'läuft nie ab',
  send: 'Erste Anfrage senden',
  sendText: (variable) =>
    `Legen Sie den Schlüssel in ${variable} ab und führen Sie dies aus. ` +
    'Jedes SDK für Chat-Completions funktioniert auch: Ändern Sie Basis-URL und Schlüssel.',
  language: 'Sprache',
  noTerminal: 'Kein Terminal zur Hand?',
  fromPlayground: 'Aus dem Playground senden',
  see: 'Hier ansehen',
  seeText:
    'Die Anfrage erscheint innerhalb einer Sekunde nach ihrem Ende auf dieser Seite, mit Tokens ' +
    'und Kosten.',
  waiting: (key) =>
    key === undefined ? 'Warten auf die erste Anfrage' : `Warten auf die erste Anfrage von ${key}`,
  arrived: 'Die erste Anfrage ist angekommen.',
  used: (tokens, cost) => `Sie hat ${tokens} Tokens verbraucht und ${cost} gekostet.`,
  usedFree: (tokens) => `Sie hat ${tokens} Tokens verbraucht und war kostenlos.`,
  explain: 'Diese Anfrage erklären',
  toOverview: 'Übersicht anzeigen',
  limits: 'Ihre Limits',
  plan: (plan) => `Tarif: ${plan}`,
  free: 'Verfügbares Guthaben',
  models: 'Ihre Modelle',
  context: (tokens) => `Kontext ${tokens}`,
  perMillion: (currency) => `${currency} je Million Tokens: Eingabe / Cache / Ausgabe.`,
  freeOfCharge: 'Kostenlos',
}
