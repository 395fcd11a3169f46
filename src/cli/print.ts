type Value = string | number | boolean | null | Date | readonly string[]

export type Printable = Readonly<Record<string, Value>>

/** Prints one record as JSON, or as lines of name and value. */
export function printRecord(record: Printable, options: { readonly json?: boolean }): void {
  if (options.json === true) {
    printJson(record)
    return
  }
  const width = widest(Object.keys(record))
  for (const [name, value] of Object.entries(record)) {
    console.log(`${name.padEnd(width)}  ${show(value)}`)
  }
}

/** The same without what is not set, for a new thing of which most is not set. JSON has it all. */
export function printNew(record: Printable, options: { readonly json?: boolean }): void {
  const set = Object.entries(record).filter(([, value]) => value !== null)
  printRecord(options.json === true ? record : Object.fromEntries(set), options)
}

/** Prints records as a JSON array, or as a table with a header line and `none` if it is empty. */
export function printTable(
  columns: readonly string[],
  records: readonly Printable[],
  options: { readonly json?: boolean },
): void {
  if (options.json === true) {
    printJson(records)
    return
  }
  const lines = [
    columns,
    ...records.map((record) => columns.map((name) => show(record[name] ?? null))),
  ]
  const widths = columns.map((_, at) => widest(lines.map((line) => line[at] ?? '')))
  for (const line of lines) {
    console.log(
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
  // Not part of the table, which programs may read.
  if (records.length === 0) console.error('none')
}

function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2))
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0)
}

function show(value: Value): string {
  if (value === null) return '-'
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? value.join(', ') : String(value)
}
