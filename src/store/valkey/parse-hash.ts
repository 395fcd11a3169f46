/** A hash as Valkey replies with it: its fields and values in turn. */
export function parseHash(fieldsAndValues: readonly string[]): Map<string, string> {
  const hash = new Map<string, string>()
  for (let at = 0; at + 1 < fieldsAndValues.length; at += 2)
    hash.set(fieldsAndValues[at] ?? '', fieldsAndValues[at + 1] ?? '')
  return hash
}
