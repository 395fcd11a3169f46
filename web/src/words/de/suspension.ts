import type { Translated } from '../translated.ts'
import type * as english from '../suspension.ts'

export const suspension: Translated<typeof english.suspension> = {
  suspend: 'Organisation sperren',
  title: (name) => `${name} sperren?`,
  text:
    'API-Schlüssel und Playground erhalten ab der nächsten Anfrage 403. Mitglieder kommen ' +
    'weiterhin in die Konsole und lesen dort den Grund. Nichts wird gelöscht, und Sie können ' +
    'die Sperre aufheben.',
  reason: 'Grund',
  reasonHint: 'Alle Mitglieder lesen ihn.',
  suspended: (name) => `${name} ist gesperrt.`,
  since: (time, reason) => `Gesperrt seit ${time}: ${reason}`,
  lift: 'Sperre aufheben',
  liftTitle: (name) => `Sperre von ${name} aufheben?`,
  liftText: 'API-Schlüssel und Playground funktionieren ab der nächsten Anfrage wieder.',
  lifted: (name) => `${name} ist nicht mehr gesperrt.`,
  tag: 'Gesperrt',
}
