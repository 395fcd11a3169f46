/**
 * Values as an array in PostgreSQL's own notation. The driver writes one too, but quotes and
 * escapes every element, which is most of the cost of a batch of thousands.
 */
export function column(values: Iterable<string | number | bigint | null>): string {
  let text = ''
  for (const value of values) text += `,${value ?? 'NULL'}`
  return `{${text.slice(1)}}`
}

/** The same for text that may hold anything, and mostly holds the same few things. */
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
