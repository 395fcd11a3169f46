import type { Translated } from '../translated.ts'
import type * as english from '../models.ts'

export const models: Translated<typeof english.models> = {
  title: 'Modelle',
  sub: (plan) => `Was der Tarif ${plan} nutzen darf.`,
  empty: 'Ihr Tarif hat keine Modelle.',
  emptyText: 'Der Betreiber legt die Modelle eines Tarifs fest.',
  search: 'Modell oder Anbieter',
  nothingFound: 'Keine passenden Modelle',
  model: 'Modell',
  state: 'Status',
  capabilities: 'Fähigkeiten',
  price: (name, currency) => (currency === undefined ? name : `${name}, ${currency}/Mio.`),
  freeShort: 'Frei',
  firstToken: 'Erstes Token',
  tokensPerSecond: 'Tokens/s',
  medians:
    'Preise gelten je Million Tokens. Erstes Token und Tokens/s sind Mediane der eigenen ' +
    'Anfragen der letzten 24 Stunden.',
  id: 'Modell-ID',
  context: 'Kontextlänge',
  output: 'Ausgabelimit',
  efforts: 'Reasoning-Stufen',
  capabilityShort: { tool_choice: 'Tools', json_schema: 'JSON-Schema', reasoning: 'Reasoning' },
  capabilityNames: {
    tool_choice: 'Erzwungene Tool-Aufrufe',
    json_schema: 'JSON-Schema',
    reasoning: 'Reasoning',
  },
  noCapabilities: 'keine',
  yes: 'Ja',
  no: 'Nein',
  notKnown: 'Nicht bekannt',
  ownedBy: (owner) => `von ${owner}`,
  input: 'Eingabe',
  cached: 'Eingabe aus Cache',
  outputPrice: 'Ausgabe',
  perMillion: (currency) => `${currency} je Million Tokens`,
  free: 'Kostenlos',
  tokens: (count) => `${count} Tokens`,
  states: {
    available: 'Verfügbar',
    short: 'Kapazität knapp',
    unavailable: 'Nicht verfügbar',
    unknown: 'Status unbekannt',
  },
  stateTexts: {
    available: 'Seine Engines nehmen Anfragen an.',
    short:
      'Anfragen müssen eventuell warten oder werden abgelehnt: Viele fragen zugleich an, oder ' +
      'einige Engines sind ausgefallen.',
    unavailable: 'Derzeit nimmt keine Engine Anfragen dafür an.',
    unknown: 'Der Dienst kann gerade nicht sagen, ob es antwortet.',
  },
  unavailableFor: (span) => `Nicht verfügbar, bisher ${span}`,
  endsIn: (span) => `Abschaltung: noch ${span}`,
  shutdown: (date) => `Ab ${date} (UTC) nicht mehr verfügbar.`,
  playground: 'Im Playground öffnen',
  language: 'Sprache',
}
