import type { Translated } from '../translated.ts'
import type { language as english } from '../language.ts'

export const language: Translated<typeof english> = {
  code: 'de',
  locale: 'de',
  dir: 'ltr',
  description: 'Headrace-Konsole: Schlüssel, Nutzung, Limits und ein Playground.',
}
