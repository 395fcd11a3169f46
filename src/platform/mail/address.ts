/** As HTML's email fields check it: ASCII only. A domain in another script has its xn-- form. */
const LOCAL = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+$/i
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i
/** As long as SMTP allows. */
const LENGTH_MAX = 254

/**
 * Whether it is one email address and nothing else. Line breaks, lists and display names are
 * refused: a mail library can read them as further recipients. So are letters outside ASCII: they
 * look like others, and programs disagree about their lower case.
 */
export function isAddress(text: string): boolean {
  if (text.length > LENGTH_MAX) return false
  const at = text.lastIndexOf('@')
  const labels = text.slice(at + 1).split('.')
  return LOCAL.test(text.slice(0, Math.max(at, 0))) && labels.every((label) => LABEL.test(label))
}
