/** What JSON.parse tells a reviver, which the types of the language do not know yet. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

const { parse, rawJSON } = JSON as unknown as {
  readonly parse: (text: string, reviver: Reviver) => unknown
  readonly rawJSON: (source: string) => unknown
}

const LONG_NUMBER = /\d{16}/

/**
 * Writes a value that was parsed from a text without spaces and escapes. Numbers keep the digits
 * that they have in the text, of which a double has at most 17.
 */
export function shortenJson(text: string, value: unknown): string {
  if (!LONG_NUMBER.test(text)) return JSON.stringify(value)
  const keepDigits: Reviver = (_key, part, { source }) =>
    typeof part === 'number' && source !== undefined ? rawJSON(source) : part
  return JSON.stringify(parse(text, keepDigits))
}
