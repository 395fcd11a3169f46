import type { Translated } from '../translated.ts'
import type * as english from '../payments.ts'

export const addMoney: Translated<typeof english.addMoney> = {
  text: 'Sie bezahlen auf der Seite unseres Zahlungsanbieters. Nur er sieht Ihre Karte.',
  suggested: 'Vorgeschlagene Beträge',
  amount: 'Betrag',
  bounds: (least, most) => `Von ${least} bis ${most}.`,
  wrongAmount: (least, most, step) =>
    `Geben Sie einen Betrag von ${least} bis ${most} ein, in Schritten von ${step}.`,
  saveCard: 'Diese Karte für automatisches Aufladen speichern',
  tax:
    'Auf der Zahlungsseite kommt Steuer nach Ihrer Adresse hinzu. Dem Guthaben wird der Betrag ' +
    'oben gutgeschrieben.',
  noTax: 'Sie bezahlen genau diesen Betrag; es kommt keine Steuer hinzu.',
  allCovers: (balance, amount, owed) =>
    `Ihr Guthaben ist ${balance}: Die ${amount} decken nur Schulden. ` +
    `Mehr als ${owed} lassen Anfragen wieder zu.`,
  partCovers: (balance, owed) =>
    `Ihr Guthaben ist ${balance}: ${owed} dieser Zahlung decken die Schulden.`,
  submit: (amount) => `${amount} bezahlen`,
  submitBare: 'Bezahlen',
  strangePage:
    'Die Adresse der Zahlungsseite steht nicht in den Einstellungen dieses Dienstes. Sie wurde ' +
    'deshalb nicht geöffnet, und es wurde nichts abgebucht. Melden Sie das dem Betreiber.',
  otherWays: 'Andere Wege, Guthaben aufzuladen',
}

export const followed: Translated<typeof english.followed> = {
  asking: 'Ihre Zahlung wird geprüft.',
  waiting: (amount) => `Ihre Zahlung über ${amount} wird erwartet.`,
  processing: (amount) => `Ihre Bank bearbeitet die Zahlung über ${amount}.`,
  late: 'Es dauert länger als sonst. Wir prüfen weiter; Sie können diese Seite verlassen.',
  added: (amount) => `${amount} wurden dem Guthaben hinzugefügt.`,
  tax: (tax) => `Dazu haben Sie ${tax} Steuer bezahlt.`,
  notPaid: (amount) =>
    `Die Zahlung über ${amount} wurde nicht abgeschlossen. Es wurde nichts abgebucht.`,
  declined: (amount) =>
    `Die Karte wurde für die Zahlung über ${amount} abgelehnt. Es wurde nichts abgebucht.`,
  expired: (amount) =>
    `Die ${amount} wurden nicht rechtzeitig bezahlt, oder die Zahlung wurde abgebrochen. Es ` +
    'wurde nichts abgebucht.',
  attention: (amount) =>
    `Der Betreiber muss die Zahlung über ${amount} ansehen, bevor sie gutgeschrieben wird. ` +
    'Bezahlen Sie nicht noch einmal.',
  unknown: 'Zahlung',
  goOn: 'Weiter bezahlen',
  anotherCard: 'Andere Karte versuchen',
  cancel: 'Zahlung abbrechen',
  again: 'Neu beginnen',
}

export const payments: Translated<typeof english.payments> = {
  card: 'Zahlungen',
  all: 'Alle Zahlungen',
  none: 'Noch keine Zahlungen.',
  columns: {
    when: 'Zeit',
    state: 'Zustand',
    amount: 'Betrag',
    tax: 'Steuer',
    actions: 'Beleg und Aktionen',
  },
  states: {
    created: 'Wird vorbereitet',
    open: 'Noch nicht bezahlt',
    processing: 'In Bearbeitung',
    needs_customer: 'Bestätigung nötig',
    succeeded: 'Bezahlt',
    failed: 'Abgelehnt',
    expired: 'Nicht bezahlt',
    attention: 'Wird geprüft',
  },
  invoiceOf: (month) => `Rechnung für ${month}`,
  declinedOnce: 'Karte abgelehnt',
  receipt: 'Beleg',
  receiptOf: (time) => `Beleg vom ${time}`,
  goOn: 'Weiter',
  cancel: 'Abbrechen',
  cancelled: 'Die Zahlung wurde abgebrochen. Es wurde nichts abgebucht.',
  paidMeanwhile: (amount) =>
    `Sie wurde im selben Moment bezahlt: ${amount} wurden dem Guthaben hinzugefügt.`,
}

export const paymentDetails: Translated<typeof english.paymentDetails> = {
  card: 'Karte und Rechnungsdaten',
  number: (brand, lastFour) => `${brand} mit der Endung ${lastFour}`,
  expires: (month) => `Gültig bis ${month}`,
  expired: (month) => `Abgelaufen ${month}`,
  none: 'Keine Karte gespeichert.',
  noneText:
    'Eine Karte wird nur gespeichert, wenn Sie bezahlen und es wünschen. Eine, die Sie auf der ' +
    'Seite des Zahlungsanbieters hinzufügen, wird nicht belastet.',
  charged:
    'Die automatische Aufladung nutzt nur diese Karte. Um eine andere zu belasten, zahlen Sie ' +
    'einmal mit ihr und speichern Sie sie dabei: Eine Karte, die Sie auf der Seite des ' +
    'Zahlungsanbieters hinzufügen, wird nicht belastet.',
  open: 'Daten ändern',
  openText: 'Karte, Adresse, Steuernummer und Rechnungen sind auf der Seite des Zahlungsanbieters.',
}
