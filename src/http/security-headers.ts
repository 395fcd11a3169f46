/** On every answer of the console. Nothing of it is framed or read by another site. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'referrer-policy': 'no-referrer',
  // Without includeSubDomains: the console may be at the top of a domain that has other sites.
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  // Some pages show something to whoever has their address.
  'x-robots-tag': 'noindex',
}
