/** A text whose parts between asterisks are figures, in bold. */
export function Figures({ text }: { readonly text: string }) {
  return text.split('*').map((part, at) => (at % 2 === 1 ? <b key={at}>{part}</b> : part))
}
