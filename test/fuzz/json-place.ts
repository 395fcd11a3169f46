/**
 * Whether a path such as `messages[2].content` leads to a value that `fits`. Keys may contain dots
 * and brackets themselves, so every key that is possible is tried.
 */
export function leadsTo(value: unknown, path: string, fits: (value: unknown) => boolean): boolean {
  if (path === '') return fits(value)
  if (Array.isArray(value)) {
    const [start, index] = /^\[(\d+)\]/.exec(path) ?? []
    if (start === undefined || Number(index) >= value.length) return false
    return leadsTo(value[Number(index)], after(path, start.length), fits)
  }
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([key, inner]) =>
      path.startsWith(key) &&
      endsAt(path, key.length) &&
      leadsTo(inner, after(path, key.length), fits),
  )
}

function endsAt(path: string, length: number): boolean {
  return path.length === length || path[length] === '.' || path[length] === '['
}

function after(path: string, length: number): string {
  return path.slice(path[length] === '.' ? length + 1 : length)
}
