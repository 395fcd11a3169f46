import type { Translated } from '../translated.ts'
import type * as english from '../automatic-top-up.ts'

export const topUp: Translated<typeof english.topUp> = {
  card: 'Automatische Aufladung',
  meta: 'belastet die hinterlegte Karte, wenn das Guthaben niedrig ist',
  noCard:
    'Laden Sie einmal Guthaben auf und speichern Sie dabei die Karte. Dann kann sie belastet ' +
    'werden, sobald das Guthaben niedrig ist.',
  off: 'Die hinterlegte Karte wird nur belastet, wenn jemand damit zahlt.',
  ownersOnly: 'Nur Eigentümer können sie einschalten.',
  turnOn: 'Einschalten',
  change: 'Ändern',
  turnOff: 'Ausschalten',
  resume: 'Fortsetzen',
  below: 'Bei Guthaben unter',
  adds: 'Die Karte wird belastet mit',
  addsText: (most) => `oder mit einem Vielfachen davon, bis ${most}`,
  month: 'Dieser Monat, mit Steuer',
  ofMonth: (most) => `von höchstens ${most}`,
  monthMeter: 'In diesem Monat abgebucht',
  bounds: {
    day: (times) =>
      `Die Karte wurde heute (UTC) ${times}-mal belastet, das Maximum. Morgen geht es weiter.`,
    month:
      'Die nächste Aufladung würde den Höchstbetrag des Monats übersteigen. Sie folgt im nächsten.',
  },
  waits: (time) => `Die Karte konnte nicht belastet werden. Ein neuer Versuch folgt nach ${time}.`,
  paused: {
    declined: 'Die Bank hat die Karte abgelehnt.',
    declined_often: 'Die Bank hat die Karte dreimal in Folge abgelehnt.',
    confirmation: 'Die Bank bittet den Inhaber der Karte, eine Belastung zu bestätigen.',
    refused: 'Die Karte kann nicht mehr belastet werden.',
    cancelled: 'Eine Belastung wurde abgebrochen.',
    provider_balance:
      'Ihr Kundenkonto beim Zahlungsanbieter hat einen Saldo. Der Betrag wäre deshalb ein anderer.',
    dispute: 'Einer Zahlung wurde bei einer Bank widersprochen.',
    refunded: 'Eine Erstattung hat das Guthaben unter die Grenze gesenkt, bei der abgebucht wird.',
    warning: 'Die Bank der Karte vermutet einen Betrug.',
  },
  pausedText: 'Es wird nichts abgebucht, bis ein Eigentümer sie fortsetzt.',
  resumed: 'Die automatische Aufladung geht weiter.',
  turnOnTitle: 'Automatische Aufladung einschalten',
  changeTitle: 'Automatische Aufladung ändern',
  threshold: 'Bei Guthaben unter',
  amount: 'Karte belasten mit',
  monthMax: 'Höchstens im Monat, mit Steuer',
  monthHint: 'Je Kalendermonat (UTC).',
  consent: (times) =>
    'Ich bin einverstanden, dass die hinterlegte Karte ohne weitere Rückfrage belastet wird, ' +
    'sobald das Guthaben darunter liegt: mit diesem Betrag oder einem Vielfachen, bis es reicht, ' +
    `höchstens ${times}-mal am Tag (UTC) und nie über den Höchstbetrag eines Monats hinaus. ` +
    'Ich stimme für die Organisation zu: Es geht weiter, wenn ich sie verlasse, bis ein ' +
    'Eigentümer es ausschaltet.',
  save: 'Speichern',
  saved: 'Die automatische Aufladung ist eingeschaltet.',
  turnOffTitle: 'Automatische Aufladung ausschalten?',
  turnOffText:
    'Die Karte wird nicht mehr belastet. Ist das Guthaben verbraucht, werden Anfragen abgelehnt.',
  turnedOff: 'Die automatische Aufladung ist ausgeschaltet.',
}
