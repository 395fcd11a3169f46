/** The languages of the console and of emails, as `lang` names them. English comes first. */
export const LANGUAGES = ['en', 'de', 'zh-CN'] as const
export type Language = (typeof LANGUAGES)[number]

/** Used where nobody has said another one. */
export const DEFAULT_LANGUAGE: Language = 'en'

/** Each in its own words, as a switch shows them. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  'zh-CN': '简体中文',
}

/** Set by the switch of the console, so that the next page is in the language. It opens nothing. */
export const LANGUAGE_COOKIE = 'headrace-language'

/** Null for what is none of them: a release with more languages may have stored it. */
export function knownLanguage(text: string | null | undefined): Language | null {
  return LANGUAGES.find((language) => language === text) ?? null
}
