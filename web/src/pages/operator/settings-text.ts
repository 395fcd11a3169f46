const STEP = '  '

/** Settings as people write them in the file: YAML, for reading. Texts are quoted if need be. */
export function settingsText(value: unknown): string {
  return linesOf(value, '').join('\n')
}

function linesOf(value: unknown, indent: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => itemLines(item, indent))
  if (!isNode(value)) return [indent + scalar(value)]
  return Object.entries(value).flatMap(([name, inner]) => {
    if (!isFilled(inner)) return [`${indent}${name}: ${scalar(inner)}`]
    if (Array.isArray(inner) && inner.every((item) => !isFilled(item)))
      return [`${indent}${name}: [${inner.map(scalar).join(', ')}]`]
    return [`${indent}${name}:`, ...linesOf(inner, indent + STEP)]
  })
}

/** The first line of an item stands behind its dash. */
function itemLines(item: unknown, indent: string): string[] {
  const [first = '', ...rest] = linesOf(item, indent + STEP)
  return [`${indent}- ${first.trimStart()}`, ...rest]
}

function isNode(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isFilled(value: unknown): value is object {
  return isNode(value) && Object.keys(value).length > 0
}

const PLAIN = /^[A-Za-z/](?:[\w./:@-]*[\w/])?$/
/** YAML reads these as something else than text. */
const WORDS = /^(?:true|false|null|yes|no|on|off|y|n)$/i

function scalar(value: unknown): string {
  if (typeof value === 'string')
    return PLAIN.test(value) && !WORDS.test(value) ? value : JSON.stringify(value)
  if (Array.isArray(value)) return '[]'
  return isNode(value) ? '{}' : String(value)
}
