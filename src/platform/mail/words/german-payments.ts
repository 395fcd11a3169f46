import { withoutQuotes, type PaymentAlert, type PaymentEmails } from '../emails.ts'

const ALERTS: Readonly<Record<PaymentAlert, readonly [subject: string, text: string]>> = {
  attention: [
    'Eine Zahlung braucht Ihre Entscheidung',
    'Was der Zahlungsanbieter über eine Zahlung sagt, widerspricht dem, was verlangt wurde. Es ' +
      'wurde nichts gutgeschrieben. Das Audit-Log nennt beides unter payment.attention.',
  ],
  uncredited: [
    'Eine Zahlung wurde nicht gutgeschrieben',
    'Der Anbieter hat eine Zahlung vor zehn Minuten als bezahlt gemeldet, und sie steht nicht im ' +
      'Hauptbuch. Suchen Sie im Log der Konsolen nach „payment not read“.',
  ],
  poll: [
    'Die Liste der Zahlungsereignisse wird nicht gelesen',
    'Seit einer Stunde hat niemand die Ereignisse des Zahlungsanbieters gelesen. Was kein ' +
      'Webhook meldet, bleibt unbemerkt.',
  ],
  webhook: [
    'Der Webhook für Zahlungen scheint gestört',
    'Mehr als fünf Ereignisse der letzten Stunde standen in der Liste des Zahlungsanbieters, ' +
      'ohne dass ein Webhook sie gemeldet hätte. Zahlungen werden gutgeschrieben, aber später.',
  ],
  forged: [
    'Webhooks ohne gültige Signatur',
    'Mehr als zehn Webhooks der letzten Stunde hatten keine gültige Signatur. Keiner hatte eine ' +
      'Wirkung. Wenn auch die Zustellungen des Anbieters scheitern, ist das Signaturgeheimnis ' +
      'oder die Uhr falsch.',
  ],
  declines: [
    'Viele abgelehnte Karten',
    'An einem Tag wurden zehn Karten einer Organisation abgelehnt. Vielleicht probiert jemand ' +
      'gestohlene Karten aus. Sie kann einen Tag lang keine Zahlung beginnen.',
  ],
  warning: [
    'Eine Bank vermutet Betrug',
    'Eine Bank hat dem Zahlungsanbieter gemeldet, dass diese Zahlung vielleicht nicht vom ' +
      'Inhaber der Karte stammt. Falls die Organisation automatisch auflädt, ist das ' +
      'angehalten. Eine Erstattung jetzt kann einen Zahlungsstreit verhindern.',
  ],
  dispute: [
    'Einer Zahlung wurde widersprochen',
    'Eine Bank stellt diese Zahlung in Frage. Antworten Sie in der Verwaltung des ' +
      'Zahlungsanbieters vor der Frist, die dort steht: Ohne Nachweise geht ein Zahlungsstreit ' +
      'verloren. Falls die Organisation automatisch auflädt, ist das angehalten.',
  ],
  stopped: [
    'Eine unbezahlte Rechnung hält eine Organisation an',
    'Die Rechnung ist lange fällig, und Erinnerungen haben nicht geholfen. Anfragen der ' +
      'Organisation werden abgelehnt, bis sie bezahlt oder bis Sie in der Konsole über die ' +
      'Rechnung entscheiden:',
  ],
  difference: [
    'Die Bücher des Zahlungsanbieters weichen ab',
    'Zu einer Geldbewegung beim Zahlungsanbieter fehlt der Eintrag im Hauptbuch, oder umgekehrt. ' +
      'Die Seite Hauptbuch der Konsole nennt die Tage, die abweichen, und was zu tun ist.',
  ],
}

export const germanPayments: PaymentEmails = {
  payment_paid: (message) => ({
    subject: `Zahlung eingegangen: ${message.amount}`,
    paragraphs: [
      `${message.amount} wurden dem Guthaben von „${withoutQuotes(message.name)}“ gutgeschrieben.`,
      `Das Guthaben beträgt jetzt ${message.balance}. Rechnungen und Belege stehen in der Konsole:`,
      message.link,
    ],
  }),
  payment_refunded: ({ name, amount, net, balance, link }) => ({
    subject: `Erstattung: ${amount}`,
    paragraphs: [
      `${amount} einer Zahlung von „${withoutQuotes(name)}“ wurden erstattet. Es kann einige ` +
        'Tage dauern, bis Ihre Bank den Betrag zeigt.',
      `Das Guthaben ist um ${net} niedriger und beträgt jetzt ${balance}. Die Zahlungen stehen ` +
        'in der Konsole:',
      link,
    ],
  }),
  credit_expires: (message) => ({
    subject: `${message.amount} verfallen bald`,
    paragraphs: [
      `Vom Guthaben von „${withoutQuotes(message.name)}“ verfallen ${message.amount} am ` +
        `${message.until}, wenn sie bis dahin nicht verbraucht sind.`,
      'Was wann verfällt, steht in der Konsole:',
      message.link,
    ],
  }),
  invoice_issued: ({ name, month, amount, due, link }) => ({
    subject: `Rechnung für ${month}: ${amount}`,
    paragraphs: [
      `Die Rechnung von „${withoutQuotes(name)}“ für ${month} beträgt ${amount}. Sie ist am ` +
        `${due} fällig.`,
      'Auf dieser Seite können Sie sie ansehen und bezahlen:',
      link,
    ],
  }),
  invoice_overdue: ({ name, month, amount, due, stops, link }) => ({
    subject: `Überfällig: Rechnung für ${month}, ${amount}`,
    paragraphs: [
      `Die Rechnung von „${withoutQuotes(name)}“ für ${month} war am ${due} fällig, und ` +
        `${amount} wurden nicht bezahlt.`,
      `Wird sie nicht bezahlt, werden Anfragen ab ${stops} abgelehnt. Auf dieser Seite können ` +
        'Sie sie bezahlen:',
      link,
    ],
  }),
  invoice_paid: ({ name, month, amount, link }) => ({
    subject: `Rechnung für ${month} bezahlt: ${amount}`,
    paragraphs: [
      `Für die Rechnung von „${withoutQuotes(name)}“ für ${month} sind ${amount} eingegangen.`,
      'Rechnungen und Abrechnungen stehen in der Konsole:',
      link,
    ],
  }),
  payment_alert: ({ alert, about, amount, link }) => ({
    subject: ALERTS[alert][0],
    paragraphs: [
      ALERTS[alert][1],
      ...(about === '' ? [] : [`„${withoutQuotes(about)}“`]),
      ...(amount === '' ? [] : [amount]),
      link,
    ],
  }),
}
