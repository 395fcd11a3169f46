/** JSON texts of pages of items, with commas between them: memory holds one page. */
export async function* inBrackets<Item>(
  begin: string,
  pages: AsyncIterable<readonly Item[]>,
  format: (item: Item) => string,
  end: string,
): AsyncGenerator<string, void> {
  yield begin
  let separator = ''
  for await (const page of pages) {
    if (page.length === 0) continue
    yield separator + page.map(format).join(',\n')
    separator = ',\n'
  }
  yield end
}
