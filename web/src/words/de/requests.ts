import type { Translated } from '../translated.ts'
import type * as english from '../requests.ts'

const outcomes: Translated<typeof english.requests.outcomes> = {
  completed: 'Abgeschlossen',
  failed: 'Fehlgeschlagen',
  abandoned: 'Abgebrochen',
  lost: 'Verloren',
  refused: 'Abgelehnt',
}

export const requests: Translated<typeof english.requests> = {
  title: 'Anfragen',
  sub: 'Neueste zuerst. Ablehnungen werden 7 Tage aufbewahrt.',
  sorted:
    'Die höchsten der neuesten 2.000 Anfragen zuerst, ohne abgelehnte. Ein zweiter Klick auf ' +
    'die Überschrift zeigt wieder die neuesten zuerst.',
  caption: 'Anfragen, neueste zuerst',
  what: 'Anfrage',
  outcomes,
  filters: { ...outcomes, errors: 'Fehlgeschlagen oder abgelehnt' },
  status: 'Status',
  columns: {
    time: (zone) => `Zeit, ${zone}`,
    id: 'Anfrage-ID',
    model: 'Modell',
    key: 'Schlüssel',
    outcome: 'Ergebnis',
    input: 'Eingabe',
    output: 'Ausgabe',
    cost: 'Kosten',
    firstToken: 'Erstes Token',
    duration: 'Dauer',
  },
  playground: 'Playground',
  periodName: 'Zeitraum',
  period: (from, to) => `${from} bis ${to}`,
  pasteId: 'Anfrage-ID einfügen',
  notAnId: 'Eine Anfrage-ID hat 32 Stellen in fünf Gruppen, wie im Header x-request-id.',
  empty: 'Noch keine Anfragen.',
  emptyText:
    'Erstellen Sie einen Schlüssel und senden Sie eine Anfrage; sie erscheint hier in Sekunden.',
  emptyFiltered: 'Keine Anfrage passt zu diesen Filtern.',
  emptyFilteredText: 'Entfernen Sie Filter oder fügen Sie die ID der Anfrage ein.',
}
