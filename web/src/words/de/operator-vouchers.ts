import { counted } from '../counted.ts'
import type * as english from '../operator-vouchers.ts'
import type { Translated } from '../translated.ts'

export const operatorVouchers: Translated<typeof english.operatorVouchers> = {
  title: 'Gutscheine',
  sub: 'Codes, die Organisationen für Guthaben einlösen.',
  caption: 'Gutscheine, neueste zuerst',
  none: 'Noch keine Gutscheine',
  noneText:
    'Erstellen Sie Codes und geben Sie sie weiter. Eingelöst werden sie auf der Seite Abrechnung.',
  id: 'Gutschein',
  state: 'Zustand',
  states: {
    open: 'Offen',
    used_up: 'Eingelöst',
    expired: 'Abgelaufen',
    revoked: 'Widerrufen',
  },
  amount: 'Betrag',
  redeemed: 'Eingelöst',
  redeemedOf: (redeemed, most) => `${redeemed} von ${most}`,
  until: 'Einlösbar bis',
  creditDays: 'Guthaben verfällt',
  afterDays: (days) => counted(days, { one: 'nach # Tag', other: 'nach # Tagen' }),
  note: 'Notiz',
  maker: 'Erstellt von',
  made: 'Erstellt',
  actions: 'Aktionen',
  create: 'Gutscheine erstellen',
  createText: 'Die Codes werden einmal angezeigt. Wer einen hat, kann ihn einlösen.',
  amountHint: 'So viel erhält jede Organisation.',
  count: 'Anzahl der Codes',
  organizations: 'Organisationen je Code',
  organizationsHint: 'Wie viele Organisationen denselben Code einlösen dürfen.',
  untilHint: 'Leer: ohne Ende.',
  creditDaysLabel: 'Tage, bis das Guthaben verfällt',
  creditDaysHint: 'Ab dem Einlösen gezählt. Leer: Es verfällt nicht.',
  noteHint: 'Für Betreiber. Organisationen sehen sie nicht.',
  createButton: (count) =>
    counted(count, { one: '# Gutschein erstellen', other: '# Gutscheine erstellen' }),
  createdTitle: (count) => counted(count, { one: '# Code kopieren', other: '# Codes kopieren' }),
  createdText: 'Gespeichert werden nur Hashes: Die Codes lassen sich nicht noch einmal anzeigen.',
  codes: 'Codes',
  copy: 'Alle kopieren',
  download: 'Als CSV herunterladen',
  done: 'Ich habe sie kopiert',
  revoke: 'Widerrufen',
  revokeWhich: (id) => `Gutschein ${id} widerrufen`,
  revokeTitle: 'Diesen Gutschein widerrufen?',
  revokeText:
    'Niemand kann ihn mehr einlösen. Organisationen, die ihn eingelöst haben, behalten das Geld.',
  revoked: 'Der Gutschein wurde widerrufen.',
}
