import { countedUpTo } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../operator-pages.ts'

export const operatorPages: Translated<typeof english.operatorPages> = {
  own: 'Ihre Organisationen',
  title: 'Dienst',
  overview: 'Übersicht',
  waiting: 'Warteliste',
  peopleWait: (count) => countedUpTo(count, { one: '# Person wartet', other: '# Personen warten' }),
  accounts: 'Konten',
  organizations: 'Organisationen',
  engines: 'Engines',
  plans: 'Tarife',
  configuration: 'Konfiguration',
  payments: 'Zahlungen',
  vouchers: 'Gutscheine',
  ledger: 'Hauptbuch',
  audit: 'Audit',
}
