export type Encoding = 'br' | 'gzip' | 'identity'

/** The smallest first. */
const COMPRESSED = ['br', 'gzip'] as const

/** The best encoding that the client accepts and the file has. Plain bytes are always accepted. */
export function chooseEncoding(
  accepted: string | undefined,
  has: (encoding: Encoding) => boolean,
): Encoding {
  if (accepted === undefined) return 'identity'
  const weights = new Map(accepted.split(',').map(readWeight))
  const weightOf = (encoding: string) => weights.get(encoding) ?? weights.get('*') ?? 0
  return (
    COMPRESSED.filter((encoding) => has(encoding) && weightOf(encoding) > 0).toSorted(
      (one, other) => weightOf(other) - weightOf(one),
    )[0] ?? 'identity'
  )
}

/** `gzip;q=0.5` is accepted half as gladly as `gzip`. */
function readWeight(member: string): [string, number] {
  const [name = '', ...parameters] = member.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
}
