const LENGTH_MAX = 2_000

/** What the paths and queries of the console consist of. Nothing else has to be understood. */
const PLAIN = /^\/(?:[\w.~:@,+%-]+(?:\/[\w.~:@,+%-]+)*\/?)?(?:\?[\w.~:@,+%&=/-]*)?$/

/** Encoded control characters, slashes and dots: a second decoding changes the path. */
const DECODES = /%(?:[01][0-9a-f]|7f|2f|5c|2e|25)|%(?![0-9a-f]{2})/i

/** Where to go after signing in: a path of this site, or `/` for anything else. */
export function safePath(to: unknown): string {
  if (typeof to !== 'string' || to.length > LENGTH_MAX || !PLAIN.test(to)) return '/'
  const [path = ''] = to.split('?')
  if (DECODES.test(path)) return '/'
  return path.split('/').some((segment) => segment === '.' || segment === '..') ? '/' : to
}
