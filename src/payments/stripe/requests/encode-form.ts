export type FormValue =
  | string
  | number
  | boolean
  | undefined
  | readonly FormValue[]
  | { readonly [name: string]: FormValue }

export type Form = { readonly [name: string]: FormValue }

/** Nested objects and lists as Stripe reads them: `a[b]=1&list[0][c]=2`. Undefined is left out. */
export function encodeForm(form: Form): string {
  return new URLSearchParams(pairsOf(form, '')).toString()
}

function pairsOf(value: FormValue, name: string): [string, string][] {
  if (value === undefined) return []
  if (typeof value !== 'object') return [[name, String(value)]]
  return Object.entries(value).flatMap(([key, member]: [string, FormValue]) =>
    pairsOf(member, name === '' ? key : `${name}[${key}]`),
  )
}
