/** The language of this folder. The build takes one language: see `web/words-of.ts`. */
export const language = {
  /** As in addresses of the web: `lang` of every page. */
  code: 'en',
  /** What figures, dates, lists and plurals follow. */
  locale: 'en',
  dir: 'ltr',
  description: 'Headrace console: keys, usage, limits and a playground.',
} as const
