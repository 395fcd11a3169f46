// Writes the tables of docs/performance.md and its charts from docs/performance/run.json.
//   node docs/generate-performance.ts           writes them
//   node docs/generate-performance.ts --check   exits 1 when a committed file differs
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { listCharts } from './performance/charts.ts'
import { readRecord } from './performance/read-record.ts'
import { renderChart } from './performance/render-chart.ts'
import { renderStatus, renderTables } from './performance/render-tables.ts'

const PAGE = new URL('performance.md', import.meta.url)
const FOLDER = new URL('performance/', import.meta.url)

function replacePart(page: string, name: string, text: string): string {
  const begin = `<!-- ${name}: written by docs/generate-performance.ts. -->\n`
  const end = `<!-- End of ${name}. -->\n`
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/performance.md has no place for ${name}`)
  return `${page.slice(0, from)}${begin}\n${text}\n\n${page.slice(to)}`
}

const record = readRecord(new URL('run.json', FOLDER))
const withStatus = replacePart(readFileSync(PAGE, 'utf8'), 'status', renderStatus(record))
const files = [
  { url: PAGE, text: replacePart(withStatus, 'figures', renderTables(record)) },
  ...listCharts(record)
    .entries()
    .map(([name, chart]) => ({ url: new URL(name, FOLDER), text: renderChart(chart) })),
]
for (const { url, text } of files) {
  if (!process.argv.includes('--check')) writeFileSync(url, text)
  else if (!existsSync(url) || readFileSync(url, 'utf8') !== text) {
    console.error(`${url.pathname} differs from the recorded run: run npm run generate`)
    process.exitCode = 1
  }
}
