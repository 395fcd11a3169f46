/**
 * The Content-Security-Policy of pages. Scripts, styles and fonts come from the console alone, and
 * no text becomes HTML. The page calls the console and, from the playground, the data plane.
 */
export function pagePolicy(apiUrl: string | undefined): string {
  const calls = apiUrl === undefined ? "'self'" : `'self' ${new URL(apiUrl).origin}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${calls}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    // The app makes none, so nobody who gets a script to run can make one that lets HTML through.
    "trusted-types 'none'",
  ].join('; ')
}
