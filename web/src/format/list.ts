import { LOCALE } from './locale.ts'

/** "a, b and c", as the language joins them. */
export function formatList(
  texts: readonly string[],
  type: 'conjunction' | 'disjunction' = 'conjunction',
): string {
  return new Intl.ListFormat(LOCALE, { type }).format(texts)
}
