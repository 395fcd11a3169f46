/** What an engine reports about the requests that it has. */
export type EngineLoad = {
  readonly running: number
  /** Requests that wait inside the engine. */
  readonly waiting: number
}

/** The names of these metrics. */
export type LoadNames = { readonly running: string; readonly waiting: string }

/**
 * The load on a page of metrics; undefined if it has no such metrics. Looks only at their lines:
 * the rest of a page are long histograms, and it is read twice a second.
 */
export function loadIn(page: string, names: LoadNames): EngineLoad | undefined {
  const running = sumOf(page, names.running)
  const waiting = sumOf(page, names.waiting)
  return running === undefined || waiting === undefined ? undefined : { running, waiting }
}

/** The sum over all labels, such as models or processes of the engine. */
function sumOf(page: string, name: string): number | undefined {
  let sum: number | undefined
  for (let at = page.indexOf(name); at >= 0; at = page.indexOf(name, at + name.length)) {
    const isLine = at === 0 || page[at - 1] === '\n'
    const value = isLine ? valueIn(page, at + name.length) : undefined
    if (value !== undefined) sum = (sum ?? 0) + value
  }
  return sum
}

/** The value behind a name; undefined if the name goes on, or if there is no count. */
function valueIn(page: string, nameEnd: number): number | undefined {
  const newline = page.indexOf('\n', nameEnd)
  const line = page.slice(nameEnd, newline < 0 ? page.length : newline)
  const labels = line.startsWith('{') ? line.lastIndexOf('}') + 1 : 0
  if (line[labels] !== ' ') return undefined
  const [text] = line.slice(labels + 1).split(' ', 1)
  const value = Number(text || undefined)
  return value >= 0 && Number.isFinite(value) ? value : undefined
}
