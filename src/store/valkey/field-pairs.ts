/** The fields and values of a hash, as HGETALL and HSCAN reply with them: one after the other. */
export function fieldPairs(reply: readonly string[]): [field: string, value: string][] {
  const pairs: [string, string][] = []
  for (let at = 0; at + 1 < reply.length; at += 2)
    pairs.push([reply[at] ?? '', reply[at + 1] ?? ''])
  return pairs
}
