// Writes the dashboard of Grafana from panels.ts, because nobody can review its JSON.
//   node deploy/monitoring/make-dashboards.ts           writes it
//   node deploy/monitoring/make-dashboards.ts --check   exits 1 when the committed file differs
import { readFileSync, writeFileSync } from 'node:fs'
import type { Panel } from './panel.ts'
import { ROWS } from './panels.ts'

const FILE = new URL('dashboards/headrace.json', import.meta.url)

/** Whoever imports it chooses the data source. */
const SOURCE = { type: 'prometheus', uid: '${datasource}' }
/** Grafana's grid has 24 columns. */
const COLUMNS = 24
const CURVE = { w: 8, h: 8 }
const FIGURE = { w: 4, h: 4 }
/** Of Grafana 10; newer ones convert it. */
const SCHEMA_VERSION = 39

function thresholdsOf(figure: NonNullable<Panel['figure']>): object {
  const [below, from, value] =
    'redFrom' in figure ? ['green', 'red', figure.redFrom] : ['red', 'green', figure.redBelow]
  const steps = [
    { color: below, value: null },
    { color: from, value },
  ]
  return { mode: 'absolute', steps }
}

function renderPanel(panel: Panel, id: number, place: object): object {
  const { title, description, unit = 'short', figure, queries } = panel
  const defaults = figure === undefined ? { unit } : { unit, thresholds: thresholdsOf(figure) }
  return {
    id,
    type: figure === undefined ? 'timeseries' : 'stat',
    title,
    description,
    datasource: SOURCE,
    gridPos: place,
    fieldConfig: { defaults, overrides: [] },
    targets: queries.map(([expr, legendFormat], at) => ({
      refId: String.fromCodePoint('A'.codePointAt(0)! + at),
      datasource: SOURCE,
      expr,
      legendFormat,
    })),
  }
}

function renderPanels(): object[] {
  const rendered: object[] = []
  let y = 0
  for (const { title, panels } of ROWS) {
    const place = { h: 1, w: COLUMNS, x: 0, y }
    rendered.push({ id: rendered.length + 1, type: 'row', title, gridPos: place, panels: [] })
    y += 1
    const size = panels.some(({ figure }) => figure !== undefined) ? FIGURE : CURVE
    const perLine = COLUMNS / size.w
    for (const [at, panel] of panels.entries()) {
      const x = (at % perLine) * size.w
      const line = Math.floor(at / perLine)
      const spot = { ...size, x, y: y + line * size.h }
      rendered.push(renderPanel(panel, rendered.length + 1, spot))
    }
    y += Math.ceil(panels.length / perLine) * size.h
  }
  return rendered
}

function renderDashboard(): string {
  const source = { name: 'datasource', type: 'datasource', query: 'prometheus', current: {} }
  const dashboard = {
    uid: 'headrace',
    title: 'Headrace',
    tags: ['headrace'],
    schemaVersion: SCHEMA_VERSION,
    version: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [source] },
    panels: renderPanels(),
  }
  return `${JSON.stringify(dashboard, null, 2)}\n`
}

const current = renderDashboard()
if (!process.argv.includes('--check')) writeFileSync(FILE, current)
else if (readFileSync(FILE, 'utf8') !== current) {
  console.error('deploy/monitoring/dashboards differs from panels.ts: run npm run generate')
  process.exitCode = 1
}
