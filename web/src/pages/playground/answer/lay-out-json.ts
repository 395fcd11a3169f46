const TOKEN = /"(?:[^"\\]|\\[^])*"|[[\]{},:]|[^\s"[\]{},:]+/g
const INDENT = '  '

/**
 * JSON with a line for each member. Every value stays as it was written: a parser would round
 * numbers and reorder names. The text must be JSON.
 */
export function layOutJson(text: string): string {
  const tokens = text.match(TOKEN) ?? []
  let depth = 0
  let shown = ''
  const newLine = () => `\n${INDENT.repeat(depth)}`
  for (const [at, token] of tokens.entries()) {
    const isEmpty = isOpening(tokens[at - 1]) && isClosing(token)
    if (isClosing(token)) depth -= 1
    if (isClosing(token) && !isEmpty) shown += newLine()
    shown += token === ':' ? ': ' : token
    if (isOpening(token)) depth += 1
    if (token === ',' || (isOpening(token) && !isClosing(tokens[at + 1]))) shown += newLine()
  }
  return shown
}

function isOpening(token: string | undefined): boolean {
  return token === '{' || token === '['
}

function isClosing(token: string | undefined): boolean {
  return token === '}' || token === ']'
}
