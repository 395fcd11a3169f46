// Writes the tables of docs/performance.md and its charts from docs/performance/run.json.
//   node docs/generate-performance.ts           writes them
//   node docs/generate-performance.ts --check   exits 1 when a committed file differs
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { listCharts } from './performance/charts.ts'
import { readRecord } from './performance/read-record.ts'
import { renderChart } from './performance/render-chart.ts'
import { renderTables } from './performance/render-tables.ts'

const PAGE = new URL('performance.md', import.meta.url)
const FOLDER = new URL('performance/', import.meta.url)

const BEGIN =
  '<!-- Figures: written by docs/generate-performance.ts from docs/performance/run.json. -->\n'
const END = '<!-- End of the figures. -->\n'

function renderPage(tables: string): string {
  const page = readFileSync(PAGE, 'utf8')
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin === -1 || end < begin)
    throw new Error('docs/performance.md has no place for the figures')
  return `${page.slice(0, begin)}${BEGIN}\n${tables}\n\n${page.slice(end)}`
}

const record = readRecord(new URL('run.json', FOLDER))
const files = [
  { url: PAGE, text: renderPage(renderTables(record)) },
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
