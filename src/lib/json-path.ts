// A parameter path as error bodies show it: `messages[2].content`. Keys are written by the caller,
// so only those that look like identifiers are repeated; the path ends before any other key.
const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/

// Longer than any parameter of ours and than most property names; keeps `param` readable.
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
