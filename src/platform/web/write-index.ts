/** What the pages must know before their first call. */
export type PageFacts = {
  /** The path of the console's public address without a final slash: empty, or `/llm`. */
  readonly prefix: string
  /** The public address of the API root; empty if there is none. */
  readonly apiUrl: string
  /** Who may create an account. */
  readonly signUp?: string
  /** Whether the service sends email. */
  readonly mail?: boolean
  /** How to reach the operator; empty if nobody says so. */
  readonly contact?: string
  /** The operator's documentation and page of disturbances; empty if there is none. */
  readonly docsUrl?: string
  readonly statusUrl?: string
  /** Whether organizations can pay by card. */
  readonly payments?: boolean
}

const OWN_METAS = /<meta name="headrace-[a-z-]{1,20}"[^<>]{0,2200}>\s{0,20}/g
/** Links of the build to its own files: `./assets/…` or `/assets/…`, but not `//elsewhere`. */
const OWN_LINKS = /\b(href|src)="\.?\/(?!\/)/g

/**
 * Writes the prefix into index.html. Relative links would break on deep routes, and the policy
 * forbids `<base>`.
 */
export function writeIndex(built: string, facts: PageFacts): string {
  const { prefix, apiUrl, signUp = 'closed', mail = false } = facts
  const { contact = '', docsUrl = '', statusUrl = '', payments = false } = facts
  const base = escapeAttribute(prefix)
  const metas =
    `<meta name="headrace-base" content="${base}">` +
    `<meta name="headrace-api" content="${escapeAttribute(apiUrl)}">` +
    `<meta name="headrace-sign-up" content="${escapeAttribute(signUp)}">` +
    `<meta name="headrace-mail" content="${mail ? 'yes' : 'no'}">` +
    `<meta name="headrace-contact" content="${escapeAttribute(contact)}">` +
    `<meta name="headrace-docs" content="${escapeAttribute(docsUrl)}">` +
    `<meta name="headrace-status" content="${escapeAttribute(statusUrl)}">` +
    `<meta name="headrace-payments" content="${payments ? 'yes' : 'no'}">`
  // Functions, because `$` has a meaning in a replacement text.
  return built
    .replace(OWN_METAS, '')
    .replace(OWN_LINKS, (_link, attribute: string) => `${attribute}="${base}/`)
    .replace('<head>', () => `<head>${metas}`)
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
