/** Something before and after the sign; the server decides about the rest. */
export function looksLikeEmail(text: string): boolean {
  const at = text.indexOf('@')
  return at > 0 && at < text.length - 1
}
