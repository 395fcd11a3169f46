import type { Translated } from '../translated.ts'
import type * as english from '../provider-books.ts'

const readAgain =
  'Stripe wurde erneut gefragt. Suchen Sie im Log der Konsolen nach „refund or dispute not read“.'
const lookThere =
  'Suchen Sie im Dashboard von Stripe danach. Gab es das nie, berichtigen Sie das Guthaben durch ' +
  'eine Korrektur.'

export const providerBooks: Translated<typeof english.providerBooks> = {
  title: 'Bücher von Stripe',
  caption: 'Jeder Tag in den Büchern von Stripe und im Hauptbuch, neueste zuerst',
  none: 'Noch kein Tag verglichen.',
  noneText: 'Jeder Tag wird zwei Tage nach seinem Ende verglichen, ab der ersten Zahlung.',
  theirs: (day) => `In den Büchern von Stripe bis ${day}`,
  ours: 'Dasselbe im Hauptbuch',
  notCompared: 'Im Hauptbuch, noch nicht verglichen',
  day: 'Tag (UTC)',
  sides: {
    charges: 'Zahlungen',
    refunds: 'Erstattungen',
    disputes: 'Rückbuchungen',
    fees: 'Gebühren',
  },
  inStripe: (amount) => `Stripe ${amount}`,
  inLedger: (amount) => `Hauptbuch ${amount}`,
  notPosted: (amount) => `und ${amount}, nicht gebucht`,
  result: 'Ergebnis',
  equal: 'Gleich',
  differs: 'Weicht ab',
  waits: 'Wartet auf Stripe',
  missing: {
    entry: {
      payment: 'Zahlung ohne Buchung im Hauptbuch:',
      refund: 'Erstattung ohne Buchung im Hauptbuch:',
      dispute: 'Rückbuchung ohne Buchung im Hauptbuch:',
    },
    movement: {
      payment: 'Zahlung im Hauptbuch, nicht bei Stripe:',
      refund: 'Erstattung im Hauptbuch, nicht bei Stripe:',
      dispute: 'Rückbuchung im Hauptbuch, nicht bei Stripe:',
    },
  },
  todo: {
    entry: {
      payment:
        'Stripe wurde erneut gefragt. Bleibt die Abweichung, öffnen und prüfen Sie die Zahlung. ' +
        'Gibt es sie nicht, hat eine Wiederherstellung sie verloren: Führen Sie „headrace ' +
        'recover payments“ aus.',
      refund: readAgain,
      dispute: readAgain,
    },
    movement: { payment: lookThere, refund: lookThere, dispute: lookThere },
  },
}
