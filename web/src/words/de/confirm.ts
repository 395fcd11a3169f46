import type { Translated } from '../translated.ts'
import type * as english from '../confirm.ts'

export const confirm: Translated<typeof english.confirm> = {
  title: 'Bestätigen Sie, dass Sie es sind',
  text: 'Diese Aktion braucht eine Bestätigung aus den letzten zehn Minuten.',
  password: 'Passwort',
  code: 'Code aus der App',
  submit: 'Bestätigen',
  passkey: 'Passkey verwenden',
  useCode: 'Code aus der App verwenden',
  usePassword: 'Passwort verwenden',
  sso: (name) => `Mit ${name} bestätigen`,
  ssoText: 'Sie kommen auf diese Seite zurück. Wiederholen Sie dann, was Sie vorhatten.',
  or: 'oder',
  none: 'Dieses Konto hat keine Möglichkeit zu bestätigen. Melden Sie sich erneut an.',
}
