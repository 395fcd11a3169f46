/**
 * Formats values as a PostgreSQL array literal. The driver can do that too, but it quotes and
 * escapes every element, which is most of the cost of a batch of thousands.
 */
export function column(values: Iterable<string | number | bigint | null>): string {
  let text = ''
  for (const value of values) text += `,${value ?? 'NULL'}`
  return `{${text.slice(1)}}`
}

/** The same for arbitrary text, quoted. Caches the quoted form because values repeat. */
export function textColumn(values: Iterable<string | null>): string {
  const quoted = new Map<string | null, string>([[null, 'NULL']])
  let text = ''
  for (const value of values) {
    const known = quoted.get(value) ?? quote(value ?? '')
    quoted.set(value, known)
    text += `,${known}`
  }
  return `{${text.slice(1)}}`
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
