import { LOCALE } from '../format/locale.ts'
import { formatCount } from '../format/number.ts'

/** One text for each plural form that the language has; `#` is where the figure stands. */
export type Forms = { readonly [Rule in Intl.LDMLPluralRule]?: string } & {
  readonly other: string
}

const rules = new Intl.PluralRules(LOCALE)

/** The form for a count, without its figure. */
export function pluralOf(count: number, forms: Forms): string {
  return forms[rules.select(count)] ?? forms.other
}

/** "1 key", "3 keys". */
export function counted(count: number, forms: Forms): string {
  return pluralOf(count, forms).replace('#', () => formatCount(count))
}

/** A count that stopped at a bound: "100+ keys". */
export function countedUpTo(
  { count, more }: { readonly count: number; readonly more: boolean },
  forms: Forms,
): string {
  return more ? forms.other.replace('#', () => `${formatCount(count)}+`) : counted(count, forms)
}
