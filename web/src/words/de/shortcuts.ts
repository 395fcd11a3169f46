import type { Translated } from '../translated.ts'
import type * as english from '../shortcuts.ts'

export const controlKey: Translated<typeof english.controlKey> = 'Strg'
export const goToShortcut: Translated<typeof english.goToShortcut> =
  'Zu einer Seite, einem Namen oder einer Anfrage gehen, oder etwas tun'

export const shortcutList: Translated<typeof english.shortcutList> = [
  ['g, dann k', 'API-Schlüssel'],
  ['g, dann o', 'Übersicht'],
  ['g, dann p', 'Playground'],
  ['g, dann u', 'Nutzung'],
  ['g, dann r', 'Anfragen'],
  ['Esc', 'Dialog schließen, Stream stoppen'],
  ['?', 'Diese Liste'],
]
