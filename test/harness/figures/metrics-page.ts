import assert from 'node:assert/strict'

/** A page of metrics: the value of each series, by name and labels as the page shows them. */
export type Metrics = ReadonlyMap<string, number>

const COMMENT = /^# (HELP|TYPE) ([a-z_]+) (.+)$/
const LABEL = /[a-z_]+="(?:[^"\\\n]|\\[\\n"])*"/.source
const SAMPLE = new RegExp(`^([a-z_]+)(\\{${LABEL}(?:,${LABEL})*\\})? (-?[\\d.]+(?:e[+-]?\\d+)?)$`)
const OF_HISTOGRAM = /_(bucket|sum|count)$/

/** Reads a page, and rejects what Prometheus would. */
export async function readMetrics(healthAddress: string): Promise<Metrics> {
  const response = await fetch(`${healthAddress}/metrics`)
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  return parseMetrics(await response.text())
}

export function parseMetrics(text: string): Metrics {
  assert.ok(text.endsWith('\n'), 'the last line ends')
  const types = new Map<string, string>()
  const metrics = new Map<string, number>()
  let current = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const [, keyword, described = '', rest = ''] = COMMENT.exec(line) ?? []
    if (keyword === 'HELP') {
      assert.ok(!types.has(described), `${described} is described once`)
      current = described
    } else if (keyword === 'TYPE') {
      assert.equal(described, current)
      assert.equal(rest === 'counter', described.endsWith('_total'), described)
      types.set(described, rest)
    } else {
      const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? []
      assert.ok(value !== undefined, `not a sample: ${line}`)
      const family = types.get(current) === 'histogram' ? name.replace(OF_HISTOGRAM, '') : name
      assert.equal(family, current, 'a sample follows the description of its metric')
      assert.ok(!metrics.has(name + labels), `${name}${labels} is there once`)
      metrics.set(name + labels, Number(value))
    }
  }
  return metrics
}

/** How much each series rose that rose. */
export function risesOf(before: Metrics, after: Metrics): Record<string, number> {
  const risen = [...after].flatMap(([series, value]) => {
    const earlier = before.get(series)
    assert.ok(earlier !== undefined, `${series} was there before its first event`)
    return value > earlier ? [[series, value - earlier] as const] : []
  })
  return Object.fromEntries(risen)
}
