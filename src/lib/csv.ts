/** A spreadsheet takes a value that begins with one of these for a formula, and runs it. */
const FORMULA = /^[=+\-@\t\r]/
const NEEDS_QUOTES = /[",\r\n]/

/** One line of CSV (RFC 4180). An apostrophe keeps foreign text from being run as a formula. */
export function csvLine(values: readonly (string | number | null)[]): string {
  return `${values.map(field).join(',')}\r\n`
}

function field(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
