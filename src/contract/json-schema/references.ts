import type { JsonPathSegment } from '../../lib/json-path.ts'

export const ENDLESS = 'must not contain a reference that leads back to itself at the same level'

// Resolves a local reference: '#', a JSON pointer or the name of an anchor. Undefined if there is
// no target. Pointers start at the root even below an inner `$id`, because engines do the same.
export function resolveReference(
  reference: string,
  root: object,
  anchors: ReadonlyMap<string, object>,
): unknown {
  const fragment = decodeFragment(reference.slice(1))
  if (fragment === '') return root
  if (!fragment.startsWith('/')) return anchors.get(fragment)
  let target: unknown = root
  for (const key of keysOf(fragment)) {
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) {
      return undefined
    }
    target = (target as Record<string, unknown>)[key]
  }
  return target
}

// The path of a JSON pointer from the root, for a reference that has a target.
export function pathOfPointer(reference: string, root: object): JsonPathSegment[] {
  const fragment = decodeFragment(reference.slice(1))
  const path: JsonPathSegment[] = []
  let target: unknown = root
  for (const key of fragment.startsWith('/') ? keysOf(fragment) : []) {
    path.push(Array.isArray(target) ? Number(key) : key)
    target = (target as Record<string, unknown>)[key]
  }
  return path
}

function keysOf(pointer: string): string[] {
  const escaped = pointer.slice(1).split('/')
  return escaped.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

// Some libraries write pointers without percent-encoding.
function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

// Recursion through a property or an item ends with the value. Schemas that apply themselves to the
// same value never end, and some grammar compilers recurse until their stack overflows. This is
// Kahn's algorithm: schemas without incoming references are removed; a cycle cannot be removed.
export function hasEndlessReference(inPlace: ReadonlyMap<object, readonly object[]>): boolean {
  const arrivals = new Map<object, number>()
  for (const [from, targets] of inPlace) {
    if (!arrivals.has(from)) arrivals.set(from, 0)
    for (const target of targets) arrivals.set(target, (arrivals.get(target) ?? 0) + 1)
  }
  const free = [...arrivals.keys()].filter((schema) => arrivals.get(schema) === 0)
  let left = arrivals.size
  for (let schema = free.pop(); schema !== undefined; schema = free.pop()) {
    left--
    for (const target of inPlace.get(schema) ?? []) {
      const arrivalsLeft = (arrivals.get(target) ?? 0) - 1
      arrivals.set(target, arrivalsLeft)
      if (arrivalsLeft === 0) free.push(target)
    }
  }
  return left > 0
}
