import { withoutQuotes, type TopUpWords } from '../../emails.ts'

const REASONS: Readonly<Record<string, string>> = {
  declined: 'Die Bank hat die hinterlegte Karte abgelehnt; ein neuer Versuch würde nicht helfen.',
  declined_often: 'Die Bank hat die hinterlegte Karte dreimal in Folge abgelehnt.',
  refused: 'Die hinterlegte Karte kann nicht mehr belastet werden.',
  cancelled: 'Eine Belastung wurde abgebrochen.',
  provider_balance:
    'Das Kundenkonto beim Zahlungsanbieter hat einen Saldo, deshalb wäre der Betrag ein anderer.',
  dispute: 'Jemand hat einer Zahlung der Organisation bei seiner Bank widersprochen.',
  refunded:
    'Eine Erstattung hat das Guthaben unter den Betrag gesenkt, bei dem die Karte belastet wird. ' +
    'Sie soll nicht gleich wieder belastet werden.',
  warning: 'Die Bank der hinterlegten Karte vermutet einen Betrug.',
}

const WHY = 'Sie dort Eigentümer einer Organisation sind'

export const topUp: TopUpWords = {
  compose: {
    top_up_confirm: ({ organization, amount, link }) => ({
      subject: `Zahlung über ${amount} bestätigen`,
      paragraphs: [
        `Die Bank bittet Sie, die automatische Aufladung von „${withoutQuotes(organization)}“ um ` +
          `${amount} zu bestätigen. Es wurde noch nichts abgebucht. Die Seite gilt 23 Stunden:`,
        link,
        'Die automatische Aufladung ruht, bis ein Eigentümer sie auf der Seite „Abrechnung“ ' +
          'fortsetzt.',
      ],
    }),
    top_up_unconfirmed: ({ organization, amount, link }) => ({
      subject: `Eine Zahlung über ${amount} wartet auf eine Bestätigung`,
      paragraphs: [
        'Die Bank verlangt, dass der Inhaber der Karte die automatische Aufladung von ' +
          `„${withoutQuotes(organization)}“ um ${amount} bestätigt. Es wurde noch nichts ` +
          'abgebucht. Die Eigentümer der Organisation haben den Link dafür, der 23 Stunden gilt.',
        'Die automatische Aufladung ruht, bis ein Eigentümer sie auf der Seite „Abrechnung“ ' +
          'fortsetzt:',
        link,
      ],
    }),
    top_up_failed: ({ organization, amount, failure, link }) => ({
      subject: 'Eine automatische Aufladung ist fehlgeschlagen',
      paragraphs: [
        `Die Karte von „${withoutQuotes(organization)}“ konnte nicht mit ${amount} belastet ` +
          `werden (${failure}). Es wurde nichts abgebucht. In frühestens einer Stunde folgt ein ` +
          'neuer Versuch.',
        'Um den Dienst bis dahin zu nutzen, laden Sie Guthaben auf oder nehmen eine andere Karte:',
        link,
      ],
    }),
    top_up_paused: ({ organization, reason, failure, link }) => ({
      subject: 'Die automatische Aufladung ruht',
      paragraphs: [
        `Die Karte von „${withoutQuotes(organization)}“ wird nicht mehr automatisch belastet. ` +
          `${REASONS[reason] ?? ''}${failure === null ? '' : ` (${failure})`}`,
        'Ist das Guthaben verbraucht, werden Anfragen abgelehnt. Prüfen Sie die Karte und setzen ' +
          'Sie die Aufladung fort:',
        link,
      ],
    }),
    top_up_bound: ({ organization, bound, month, link }) => ({
      subject: 'Die automatische Aufladung hat ihre Grenze erreicht',
      paragraphs: [
        bound === 'day'
          ? `Die Karte von „${withoutQuotes(organization)}“ wurde heute (UTC) so oft belastet ` +
            'wie erlaubt. Morgen geht es weiter.'
          : `Die nächste automatische Aufladung von „${withoutQuotes(organization)}“ würde ` +
            `${month} übersteigen, Ihre Grenze für einen Monat (UTC). Sie folgt im nächsten ` +
            'Monat, oder wenn Sie die Grenze erhöhen.',
        'Ist das Guthaben verbraucht, werden Anfragen abgelehnt. Sie können jetzt Guthaben ' +
          'aufladen:',
        link,
      ],
    }),
    top_up_card_expires: ({ organization, card, month, link }) => ({
      subject: 'Die hinterlegte Karte läuft bald ab',
      paragraphs: [
        `Die hinterlegte Karte von „${withoutQuotes(organization)}“ (${card}) läuft Ende ` +
          `${month} ab. Die automatische Aufladung kann sie danach nicht mehr belasten.`,
        'Um eine andere Karte zu hinterlegen, laden Sie damit Guthaben auf und kreuzen an, dass ' +
          'sie behalten wird:',
        link,
      ],
    }),
  },
  reasons: {
    top_up_confirm: WHY,
    top_up_unconfirmed: WHY,
    top_up_failed: WHY,
    top_up_paused: WHY,
    top_up_bound: WHY,
    top_up_card_expires: WHY,
  },
  buttons: { top_up_confirm: 'Zahlung ansehen' },
}
