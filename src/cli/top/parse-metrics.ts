/** One line of a page in the text format of Prometheus. */
export type Sample = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/
/** Sticky, so that a label that does not end is not searched for again behind each letter. */
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)",?/y

export function parseMetrics(page: string): Sample[] {
  return page.split('\n').flatMap((line) => {
    const [, name, labels = '', text = ''] = LINE.exec(line) ?? []
    if (name === undefined) return []
    const value = text === '+Inf' ? Infinity : Number(text)
    return [{ name, labels: parseLabels(labels), value }]
  })
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  for (let found = LABEL.exec(text); found !== null; found = LABEL.exec(text)) {
    const [, key = '', value = ''] = found
    labels[key] = value
  }
  return labels
}

/** The sum over all labels, or of the samples that match; undefined if there is none. */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  matches: (labels: Sample['labels']) => boolean = () => true,
): number | undefined {
  const found = samples.filter((sample) => sample.name === name && matches(sample.labels))
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0)
}

/**
 * A quantile of what a histogram counted between two pages, over all labels. Linear within a
 * bucket, as Prometheus does it; undefined if nothing was counted.
 */
export function quantileBetween(
  before: readonly Sample[],
  after: readonly Sample[],
  name: string,
  share: number,
): number | undefined {
  const counts = countBuckets(after, name)
  for (const [bound, count] of countBuckets(before, name))
    counts.set(bound, (counts.get(bound) ?? 0) - count)
  const buckets = [...counts].toSorted(([a], [b]) => a - b)
  const total = buckets.at(-1)?.[1] ?? 0
  if (total <= 0) return undefined
  let [lower, below] = [0, 0]
  for (const [bound, count] of buckets) {
    if (count >= share * total) {
      if (bound === Infinity) return lower
      return lower + ((bound - lower) * (share * total - below)) / Math.max(1, count - below)
    }
    ;[lower, below] = [bound, count]
  }
  return lower
}

function countBuckets(samples: readonly Sample[], name: string): Map<number, number> {
  const counts = new Map<number, number>()
  for (const sample of samples) {
    if (sample.name !== `${name}_bucket`) continue
    const { le = '' } = sample.labels
    const bound = le === '+Inf' ? Infinity : Number(le)
    counts.set(bound, (counts.get(bound) ?? 0) + sample.value)
  }
  return counts
}
