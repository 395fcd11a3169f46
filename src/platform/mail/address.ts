/** As the database checks it, and short enough for SMTP. */
const ADDRESS = /^[^@\p{Cc}\p{Z}<>,;:"()[\]\\]+@[^@\p{Cc}\p{Z}<>,;:"()[\]\\]+$/u
const LENGTH_MAX = 254

/**
 * Whether it is one e-mail address and nothing else. Line breaks, lists and display names are
 * refused: a mail library can read them as further recipients.
 */
export function isAddress(text: string): boolean {
  return text.length <= LENGTH_MAX && text.isWellFormed() && ADDRESS.test(text)
}
