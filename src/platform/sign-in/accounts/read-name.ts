const NAME_LENGTH_MAX = 100

/** A name that a provider says; what the table does not accept is left out. */
export function readName(name: string | null): string | null {
  const plain = (name ?? '')
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .trim()
  const cut = Array.from(plain).slice(0, NAME_LENGTH_MAX).join('')
  return cut === '' ? null : cut
}
