/**
 * The type of a translation: the same names as the English words, any text in place of each text,
 * and functions that take the same values. A missing or surplus text does not compile.
 */
export type Translated<Words> = Words extends string
  ? string
  : Words extends (...values: infer Values) => infer Text
    ? (...values: Values) => Translated<Text>
    : { readonly [Name in keyof Words]: Translated<Words[Name]> }
