import { language } from '../words/language.ts'

/** Figures are in the language of the words around them: "12.000 left" would be read as twelve. */
export const LOCALE: string = language.locale

/** Dates too, in the order that is usual where the viewer lives. */
export function dateLocale(viewer: string = navigator.language): string {
  const { region } = new Intl.Locale(viewer).maximize()
  return region === undefined ? LOCALE : `${LOCALE}-${region}`
}
