/** A count with what is counted: `1 engine`, `2 engines`. For words whose plural has an s. */
export function countOf(count: number, singular: string): string {
  return count === 1 ? `1 ${singular}` : `${count} ${singular}s`
}
