// Writes the calculated parts of docs/scale.md: unit costs, an example, and multiples of a base.
//   node docs/generate-scale.ts           writes them
//   node docs/generate-scale.ts --check   exits 1 when the committed page differs
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { sizeDeployment, type Deployment } from '../src/cli/capacity/size-deployment.ts'
import { UNIT_COSTS } from '../src/cli/capacity/unit-costs.ts'
import { assumeWorkload } from '../src/cli/capacity/workload.ts'
import { renderTable } from './render-table.ts'

const PAGE = new URL('scale.md', import.meta.url)
const MAIN = new URL('../src/main.ts', import.meta.url).pathname

/** The deployment that the page multiplies. */
const BASE = { streams: 2_000, tokensPerSecond: 50, organizations: 500 }
const MULTIPLES = [1, 10, 100, 1_000]
const EXAMPLE = ['capacity', '--streams', '20000', '--tokens-per-second', '50']
const MULTIPLE_MAX = 100_000
const PRECISION = 0.001

function multiply(factor: number): Deployment {
  const { streams, tokensPerSecond, organizations } = BASE
  const work = { streams: streams * factor, organizations: organizations * factor, tokensPerSecond }
  return sizeDeployment(assumeWorkload(work))
}

function renderUnitCosts(): string {
  const rows = Object.values(UNIT_COSTS).map(({ what, value, unit, proof }) => [
    what,
    `${value.toLocaleString('en')} ${unit}`,
    `[\`${proof}\`](proofs.md#${proof})`,
  ])
  return renderTable([['One …', 'Costs', 'Measured by'], ...rows])
}

/** What the command prints, without the lists of its assumptions and unit costs. */
function renderExample(): string {
  const printed = execFileSync(process.execPath, [MAIN, ...EXAMPLE], { encoding: 'utf8' })
  const text = printed.slice(printed.indexOf('\nNeeds\n') + 1, printed.indexOf('\nUnit costs\n'))
  return ['```text', `$ headrace ${EXAMPLE.join(' ')}`, '…', text.trim(), '…', '```'].join('\n')
}

const ROWS: readonly (readonly [string, (deployment: Deployment) => number])[] = [
  ['`api` processes', ({ api }) => api.processes],
  ['machines of 8 cores', ({ api }) => api.machines],
  ['engines of 256 slots', ({ api }) => api.engines],
  ['Valkey: calls per second', ({ valkey }) => valkey.callsPerSecond],
  ['Valkey: busy cores', ({ valkey }) => valkey.cores],
  ['Valkey: GiB, with an hour of records', ({ valkey }) => valkey.gib],
  ['Valkey: shards, slots divided evenly', ({ valkey }) => valkey.shards],
  ['Valkey: shards, slots moved', ({ valkey }) => valkey.ifBalanced],
  ['workers', ({ workers }) => workers],
  ['PostgreSQL: GiB per day', ({ postgres }) => postgres.gibPerDay],
  ['PostgreSQL: GiB after 90 days', ({ postgres }) => postgres.gib],
  ['PostgreSQL: busy cores', ({ postgres }) => postgres.cores],
  ['PostgreSQL: callers read per second', ({ postgres }) => postgres.lookupsPerSecond],
  ['PostgreSQL: connections', ({ postgres }) => postgres.connections],
  ['to clients, Gbit/s', ({ traffic }) => (traffic.toClients * 8) / 1e9],
  ['api and Valkey, Gbit/s', ({ traffic }) => (traffic.apiAndValkey * 8) / 1e9],
]

function renderMultiples(): string {
  const sized = MULTIPLES.map(multiply)
  const head = ['Needs', ...MULTIPLES.map((factor) => `${factor.toLocaleString('en')} ×`)]
  const rows = ROWS.map(([name, read]) => [name, ...sized.map((each) => show(read(each)))])
  return renderTable([head, ...rows])
}

function percentOf(name: string, factor: number): number {
  return multiply(factor).ceilings.find((each) => each.name === name)?.percent ?? 0
}

/** Where each ceiling is reached, the lowest first. */
function renderCeilings(): string {
  const rows = multiply(1).ceilings.map(({ name, limit }) => {
    let [low, high] = [PRECISION, MULTIPLE_MAX]
    while (high - low > low * PRECISION) {
      const middle = Math.sqrt(low * high)
      if (percentOf(name, middle) <= 100) low = middle
      else high = middle
    }
    const shares = MULTIPLES.map((factor) => `${show(percentOf(name, factor))} %`)
    return { reached: low, cells: [name, limit, ...shares, `${show(low)} ×`] }
  })
  const head = [
    'Ceiling',
    'Limit',
    ...MULTIPLES.map((factor) => `${factor.toLocaleString('en')} ×`),
  ]
  const sorted = rows.toSorted((one, other) => one.reached - other.reached)
  return renderTable([[...head, 'Reached at'], ...sorted.map(({ cells }) => cells)])
}

function show(number: number): string {
  if (number >= 100 || Number.isInteger(number)) return Math.round(number).toLocaleString('en')
  return String(Number(number.toPrecision(2)))
}

const PARTS = {
  'unit costs': renderUnitCosts,
  example: renderExample,
  multiples: renderMultiples,
  ceilings: renderCeilings,
}

function renderPage(page: string): string {
  let text = page
  for (const [name, render] of Object.entries(PARTS)) {
    const begin = `<!-- ${name}: written by docs/generate-scale.ts. -->\n`
    const end = `<!-- End of ${name}. -->\n`
    const [from, to] = [text.indexOf(begin), text.indexOf(end)]
    if (from === -1 || to < from) throw new Error(`docs/scale.md has no place for ${name}`)
    text = `${text.slice(0, from)}${begin}\n${render()}\n\n${text.slice(to)}`
  }
  return text
}

const page = readFileSync(PAGE, 'utf8')
const current = renderPage(page)
if (!process.argv.includes('--check')) writeFileSync(PAGE, current)
else if (page !== current) {
  console.error('docs/scale.md differs from the calculator: run npm run generate')
  process.exitCode = 1
}
