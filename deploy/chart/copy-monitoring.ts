// Copies the alert rules and the dashboards into the chart: Helm reads no file outside of it.
// test/chart.test.ts fails while the copies differ.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')
const SOURCES = 'deploy/monitoring/{headrace.rules.yaml,**/*.json}'
const COPIES = 'deploy/chart/headrace/files'

rmSync(join(ROOT, COPIES), { recursive: true, force: true })
for (const path of globSync(SOURCES, { cwd: ROOT })) {
  mkdirSync(join(ROOT, COPIES), { recursive: true })
  writeFileSync(join(ROOT, COPIES, basename(path)), readFileSync(join(ROOT, path)))
}
