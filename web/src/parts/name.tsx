/** Shorter names are rarely too wide, and are kept in one piece. */
const WHOLE_MAX = 24
/** Names that belong together often differ at their end. */
const END_LETTERS = 8

/**
 * A name that people chose, or an address, on one line. If it is too long for its place it is
 * shortened in the middle; the title has all of it.
 */
export function Name({ value }: { readonly value: string }) {
  if (value.length <= WHOLE_MAX)
    return (
      <span className="name whole" dir="auto" title={value}>
        {value}
      </span>
    )
  const letters = Array.from(new Intl.Segmenter().segment(value), ({ segment }) => segment)
  return (
    <span className="name" dir="auto" title={value}>
      <span className="sr">{value}</span>
      <span aria-hidden className="name-start">
        {letters.slice(0, -END_LETTERS).join('')}
      </span>
      <span aria-hidden>{letters.slice(-END_LETTERS).join('')}</span>
    </span>
  )
}
