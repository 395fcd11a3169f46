// A parameter path as in error bodies: `messages[2].content`. Keys come from the caller, so only
// those that look like identifiers are quoted; the path ends before any other key.
const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/

// Longer than any documented parameter and most property names; keeps `param` readable.
const PLAIN_KEY_LENGTH_MAX = 64

export type JsonPathSegment = string | number

export function formatJsonPath(segments: readonly JsonPathSegment[], base = ''): string {
  let path = base
  for (const segment of segments) {
    if (typeof segment === 'number') {
      path += `[${segment}]`
    } else if (segment.length <= PLAIN_KEY_LENGTH_MAX && PLAIN_KEY.test(segment)) {
      path += path === '' ? segment : `.${segment}`
    } else {
      break
    }
  }
  return path
}
