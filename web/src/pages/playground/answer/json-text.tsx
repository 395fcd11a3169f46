import { memo, type ReactNode } from 'react'

/** Longer texts are shown in one colour. */
const COLOURED_LENGTH_MAX = 20_000

/** Names, texts, and other values. A text without its end matches too, so matching is linear. */
const TOKEN = /"(?:[^"\\]|\\[^])*"?(?=(\s*:)?)|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g

/** JSON with names, texts and numbers in different colours; any other text as it is. */
export const JsonText = memo(function JsonText({ text }: { readonly text: string }) {
  return <pre tabIndex={0}>{coloured(text)}</pre>
})

export function coloured(text: string): ReactNode {
  if (text.length > COLOURED_LENGTH_MAX) return text
  const parts: ReactNode[] = []
  let at = 0
  for (const match of text.matchAll(TOKEN)) {
    const [token, colon] = match
    if (match.index > at) parts.push(text.slice(at, match.index))
    const kind = token.startsWith('"') ? (colon === undefined ? 's' : 'k') : 'n1'
    parts.push(
      <span key={match.index} className={kind}>
        {token}
      </span>,
    )
    at = match.index + token.length
  }
  parts.push(text.slice(at))
  return parts
}
