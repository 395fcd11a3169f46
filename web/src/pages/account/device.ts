// What a user agent says about itself. It is untrusted text: only known words are taken from it.

/** In this order: every browser claims to be its predecessors. */
const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['HeadlessChrome/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const

const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const

export type Device = { readonly browser: string; readonly system: string; readonly small: boolean }

/** Undefined if it is none that people sit in front of. */
export function deviceOf(userAgent: string | null): Device | undefined {
  const text = userAgent ?? ''
  const browser = BROWSERS.find(([mark]) => text.includes(mark))?.[1]
  const system = SYSTEMS.find(([mark]) => text.includes(mark))?.[1]
  if (browser === undefined || system === undefined) return undefined
  return { browser, system, small: system === 'iPhone' || system === 'Android' }
}
