import type { Translated } from '../translated.ts'
import type * as english from '../credit-limit.ts'

export const creditLimit: Translated<typeof english.creditLimit> = {
  line: 'Kreditlimit',
  none: 'Keines',
  used: (limit, used) => `${limit}, davon ${used} in Anspruch genommen`,
  set: 'Kreditlimit festlegen',
  title: (name) => `Kreditlimit von ${name}`,
  text:
    'Was die Organisation höchstens schulden darf, solange ihr Tarif auf Rechnung läuft: offene ' +
    'Rechnungen, noch nicht berechnete Nutzung und was laufende Anfragen kosten können. Darüber ' +
    'erhalten Anfragen 402.',
  amount: 'Limit',
  amountHint: 'Leer: kein Limit. 0 lehnt jede Anfrage ab, die etwas kostet.',
  reason: 'Grund',
  reasonHint: 'Für das Audit-Log, das auch Eigentümer, Admins und Betrachter lesen können.',
  saved: (name) => `Das Kreditlimit von ${name} gilt ab der nächsten Anfrage.`,
}
