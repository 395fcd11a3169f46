// Where the page was served from: the server writes all of it into index.html.

/** The path below which console and management API answer: '' or '/llm'. */
export const BASE = metaContent('headrace-base')

/** The root of the data plane, such as https://api.example.com/v1. */
export const API_ROOT = metaContent('headrace-api')

/** Who may create an account: `closed`, `waiting` or `open`. */
export const SIGN_UP = metaContent('headrace-sign-up')

/** Whether the service sends e-mail: without it, nobody can be sent a link. */
export const SENDS_MAIL = metaContent('headrace-mail') === 'yes'

/** How to reach the operator: an e-mail address, a URL, or nothing. */
export const CONTACT = metaContent('headrace-contact')

function metaContent(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
}
