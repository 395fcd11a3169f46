const LETTERS_MAX = 160

/** Adds what search engines show of a page: the beginning of its first paragraph. */
export function describe(text: string): string {
  const description = shorten(firstParagraphOf(text))
  if (text.startsWith('---\n') || description === '') return text
  // JSON is YAML, so the front matter needs no second syntax.
  return `---\n${JSON.stringify({ description })}\n---\n\n${text}`
}

/**
 * Without marks of Markdown. Headings, routes of the reference, lists, tables, code and HTML are no
 * paragraphs.
 */
function firstParagraphOf(text: string): string {
  const blocks = text.replaceAll(/^```[^]*?^```$|^#.*$|^\*\*[A-Z]+\*\* `.*$/gm, '').split(/\n\s*\n/)
  const paragraph =
    blocks.find((block) => /^\s*[\p{L}[*`"“]/u.test(block) && !/^\s*\* /.test(block)) ?? ''
  return paragraph
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<[^>]+>|\*\*|`/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Ends after a sentence if one ends in time, else after a word. */
function shorten(text: string): string {
  if (text.length <= LETTERS_MAX) return text
  const start = text.slice(0, LETTERS_MAX)
  const sentences = /^.{60,}[.!?](?= )/.exec(start)?.[0]
  return sentences ?? `${start.slice(0, start.lastIndexOf(' '))} …`
}
