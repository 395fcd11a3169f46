import type { Translated } from '../translated.ts'
import type * as english from '../password.ts'

export const password: Translated<typeof english.password> = {
  show: 'Passwort anzeigen',
  hide: 'Passwort verbergen',
}
