// Where the page was served from: the server writes all of it into index.html.

/** The path below which console and management API answer: '' or '/llm'. */
export const BASE = metaContent('headrace-base')

/** The root of the data plane, such as https://api.example.com/v1. */
export const API_ROOT = metaContent('headrace-api')

/** Who may create an account: `closed`, `waiting` or `open`. */
export const SIGN_UP = metaContent('headrace-sign-up')

/** Whether the service sends email: without it, nobody can be sent a link. */
export const SENDS_MAIL = metaContent('headrace-mail') === 'yes'

/** How to reach the operator: an email address, a URL, or nothing. */
export const CONTACT = metaContent('headrace-contact')

/** Where the operator's documentation is, or nothing. */
export const DOCS_URL = metaContent('headrace-docs')

/** Where the operator tells of disturbances, or nothing. */
export const STATUS_URL = metaContent('headrace-status')

/** Whether organizations can pay by card: without it nothing of payments is shown. */
export const HAS_PAYMENTS = metaContent('headrace-payments') === 'yes'

function metaContent(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
}
