/** A Markdown table whose first line is its head, padded as the formatter does it. */
export function renderTable(lines: readonly (readonly string[])[]): string {
  const [head = [], ...body] = lines
  const widths = head.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  const render = (cells: readonly string[], filler = ' ') =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, filler)).join(' | ')} |`
  return [render(head), render([], '-'), ...body.map((cells) => render(cells))].join('\n')
}
