/**
 * Why this Node.js cannot run Headrace, or undefined if it can. This file must have no imports and
 * only syntax that old versions know: it runs before they fail to parse anything else.
 */
export function findNodeProblem(version: string, range: string): string | undefined {
  const needed = range.replace('>=', '')
  const [major, minor] = numbersOf(version)
  const [majorMin, minorMin] = numbersOf(needed)
  if (major > majorMin || (major === majorMin && minor >= minorMin)) return undefined
  return (
    `Headrace needs Node ${needed} or newer; this is ${version}. ` +
    'Install it from https://nodejs.org; in a clone, npm run headrace -- uses the right one.'
  )
}

function numbersOf(version: string): [number, number] {
  const [major, minor] = version.split('.')
  return [Number(major), Number(minor ?? 0)]
}
