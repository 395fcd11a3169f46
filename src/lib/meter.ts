/** The metrics of a process in the text format of Prometheus. */
export type MetricsPage = { readonly contentType: string; text(): Promise<string> }

/** Values must come from a bounded set, never from a client. */
export type Labels = Readonly<Record<string, string>>

export type Counter = { add(count: number): void }
export type Gauge = { record(value: number): void }
export type Histogram = { record(value: number): void }

/**
 * Creates series, and the page with all of them. A series is on the page from its creation, at 0,
 * so that the first event already changes it. Creating one again returns the same. Updating one
 * costs nanoseconds.
 */
export type Meter = {
  readonly counter: (name: string, description: string, labels?: Labels) => Counter
  readonly gauge: (name: string, description: string, labels?: Labels) => Gauge
  /** `bounds` are the upper bounds of its buckets, in ascending order. */
  readonly histogram: (
    name: string,
    description: string,
    bounds: readonly number[],
    labels?: Labels,
  ) => Histogram
  /** Read whenever the page is. A counter if its name ends with `_total`, else a gauge. */
  readonly watch: (name: string, description: string, read: Read<number>) => void
  /** The same with one series for each value of a label. */
  readonly watchBy: (
    label: string,
    name: string,
    description: string,
    read: () => Readonly<Record<string, number>>,
  ) => void
  /** The same with several labels. */
  readonly watchEach: (
    name: string,
    description: string,
    read: () => readonly (readonly [labels: Labels, value: number])[],
  ) => void
  readonly page: MetricsPage
}

type Read<Value> = () => Value | Promise<Value>

/** The lines of one metric after its description, without the name in front of each. */
type Family = { readonly head: string; readonly lines: Map<string, Read<readonly string[]>> }

export function createMeter(): Meter {
  const families = new Map<string, Family>()
  const instruments = new Map<string, object>()

  function linesOf(name: string, type: string, description: string): Family['lines'] {
    const head = `# HELP ${name} ${description}\n# TYPE ${name} ${type}\n`
    const family = families.get(name) ?? { head, lines: new Map() }
    families.set(name, family)
    return family.lines
  }

  /** Adds a series unless there is one of that name and labels. */
  function find<Series extends { lines(): string[] }>(
    [name, type, description]: readonly [name: string, type: string, description: string],
    labels: string,
    create: () => Series,
  ): Series {
    const found = instruments.get(name + labels) as Series | undefined
    if (found !== undefined) return found
    const series = create()
    instruments.set(name + labels, series)
    linesOf(name, type, description).set(labels, () => series.lines())
    return series
  }

  const watchEach: Meter['watchEach'] = (name, description, read) =>
    void linesOf(name, typeOf(name), description).set('', () =>
      read().map(([labels, value]) => `${name}${render(labels)} ${valueText(value)}`),
    )

  return {
    counter: (name, description, labels) =>
      find([name, 'counter', description], render(labels), () => numberOf(name, render(labels))),
    gauge: (name, description, labels) =>
      find([name, 'gauge', description], render(labels), () => numberOf(name, render(labels))),
    histogram: (name, description, bounds, labels) =>
      find([name, 'histogram', description], render(labels), () =>
        histogramOf(name, bounds, labels),
      ),
    watch(name, description, read) {
      const lines = linesOf(name, typeOf(name), description)
      lines.set('', async () => [`${name} ${valueText(await read())}`])
    },
    watchBy: (label, name, description, read) =>
      watchEach(name, description, () =>
        Object.entries(read()).map(([value, count]) => [{ [label]: value }, count]),
      ),
    watchEach,
    page: {
      contentType: 'text/plain; version=0.0.4; charset=utf-8',
      async text() {
        let text = ''
        for (const { head, lines } of families.values()) {
          const read = await Promise.all([...lines.values()].map(async (each) => each()))
          const all = read.flat()
          // A metric that is read by label may have no series at the moment.
          if (all.length > 0) text += `${head}${all.join('\n')}\n`
        }
        return text
      },
    },
  }
}

function typeOf(name: string): 'counter' | 'gauge' {
  return name.endsWith('_total') ? 'counter' : 'gauge'
}

function numberOf(name: string, labels: string) {
  let value = 0
  return {
    add: (count: number) => void (value += count),
    record: (now: number) => void (value = now),
    lines: () => [`${name}${labels} ${valueText(value)}`],
  }
}

function histogramOf(name: string, bounds: readonly number[], labels: Labels = {}) {
  const own = render(labels)
  // The last bucket has no upper bound.
  const heads = [...bounds, Infinity].map(
    (bound) => `${name}_bucket${render({ ...labels, le: valueText(bound) })}`,
  )
  const counts = heads.map(() => 0)
  let sum = 0
  return {
    record(value: number) {
      let bucket = 0
      while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1
      counts[bucket] = (counts[bucket] ?? 0) + 1
      sum += value
    },
    lines() {
      let total = 0
      const buckets = heads.map((head, index) => {
        total += counts[index] ?? 0
        return `${head} ${total}`
      })
      return [...buckets, `${name}_sum${own} ${valueText(sum)}`, `${name}_count${own} ${total}`]
    },
  }
}

function render(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escape(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')
}

function valueText(value: number): string {
  if (value === Infinity) return '+Inf'
  return value === -Infinity ? '-Inf' : String(value)
}
