// Proves that the console shows the sums that the management API gives, and that these are the sums
// of the usage records in SQL: cell by cell, to the token, around UTC midnights and a leap day, in
// browsers of three time zones.
// covers: src/platform/usage/** src/store/ledger/** web/src/pages/usage/**
// covers: web/src/pages/overview/**
import type { Page } from 'playwright-core'
import { DAY_MS } from '../../src/lib/time.ts'
import { ask } from '../harness/processes/console.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { openWeb, signIn, type Web } from '../harness/browser/web.ts'
import {
  listBySql,
  MEASURES,
  sumBySql,
  type Asked,
  type Group,
  type Measure,
  type Split,
  type Sums,
} from './figures/expected.ts'
import { readRequestsPage, readUsagePage, type Cell } from './figures/read-page.ts'
import { seedFigures, type Seeded } from './figures/seed.ts'

const ZONES = ['Asia/Kolkata', 'America/Los_Angeles', 'UTC']

type View = {
  readonly from: string
  readonly to: string
  readonly by: Group
  readonly split?: Split
  readonly measure?: Measure
}

type Proving = ProofRun & { readonly web: Web; readonly seeded: Seeded; cells: number }

await runProof('figures', async (run) => {
  await using web = await openWeb()
  const seeded = await seedFigures(web.environment, run.random)
  const proving: Proving = { ...run, web, seeded, cells: 0 }
  for (const zone of ZONES) await proveZone(proving, zone)
  await proveApi(proving)
  return { zones: ZONES.length, records: seeded.records.length, cells: proving.cells }
})

async function proveZone(proving: Proving, timezoneId: string): Promise<void> {
  const { web, seeded } = proving
  const page = await web.openPage({ timezoneId, viewport: { width: 1440, height: 900 } })
  await signIn(page, web, seeded.owner)
  for (const view of viewsOf(timezoneId)) await proveUsage(proving, page, timezoneId, view)
  // Rows of single requests have no days that a zone could shift: once is enough.
  if (timezoneId === ZONES[0]) await proveRequests(proving, page, timezoneId)
  await page.context().close()
}

/** Every grouping and measure in UTC; in the other zones those that a zone could shift. */
function viewsOf(zone: string): View[] {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const leap = { from: '2028-02-28', to: '2028-03-01' }
  const recent = { from: dayOf(today - 2 * DAY_MS), to: dayOf(today) }
  const timely: View[] = [leap, recent].flatMap((period) => [
    { ...period, by: 'day' },
    { ...period, by: 'hour', measure: 'requests' },
  ])
  if (zone !== 'UTC') return timely
  const month = { from: dayOf(today - 29 * DAY_MS), to: dayOf(today) }
  const measures = ['input', 'cached', 'output', 'reasoning'] as const
  return [
    ...timely,
    ...measures.map((measure): View => ({ ...leap, by: 'day', measure })),
    ...(['model', 'project', 'key', 'member'] as const).flatMap((by): View[] => [
      { ...month, by },
      { ...leap, by: 'day', split: by, measure: 'output' },
    ]),
  ]
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10)
}

function askedOf({ seeded }: Proving, { from, to }: View): Asked {
  const end = dayOf(Date.parse(to) + DAY_MS)
  return { organizationId: seeded.organizationId, from, to: end }
}

async function proveUsage(proving: Proving, page: Page, zone: string, view: View): Promise<void> {
  const { web, seeded } = proving
  const { pool } = web.environment.postgres
  const { by, split = 'model', measure = 'cost' } = view
  const search = new URLSearchParams({ period: 'custom', ...view }).toString()
  const shown = await readUsagePage(page, `${web.origin}/o/${seeded.slug}/usage?${search}`)
  const where = `${zone} ${search}`
  const asked = askedOf(proving, view)
  const expected = await sumBySql(pool, asked, [by])
  const total = (await sumBySql(pool, asked, [])).get('')!
  const rows = new Map([...expected, ['sum', total] as const])
  for (const name of rows.keys())
    if (!shown.rows.has(name)) proving.fail(`${where}: no row ${name}`)
  for (const [name, { measures }] of shown.rows)
    for (const each of MEASURES)
      compare(proving, `${where} ${name} ${each}`, measures[each], rows.get(name)?.[each] ?? 0)
  const stats = [total.cost, total.requests, total.input, total.output]
  for (const [at, value] of stats.entries())
    compare(proving, `${where} above the chart, ${at}`, shown.stats[at], value)
  if (by !== 'day' && by !== 'hour') return
  const parts = await sumBySql(pool, asked, [by, split])
  for (const [name, row] of shown.rows) {
    const wanted = [...parts].filter(([group]) => name === 'sum' || group.startsWith(`${name}\n`))
    proveParts(proving, `${where} ${name}`, { row, names: shown.parts, wanted, measure, split })
  }
}

/** The columns by colour: by name for models, else as a set, because names are not ids. */
function proveParts(
  proving: Proving,
  where: string,
  given: {
    readonly row: { readonly parts: readonly Cell[] }
    readonly names: readonly string[]
    readonly wanted: readonly (readonly [string, Sums])[]
    readonly measure: Measure
    readonly split: Split
  },
): void {
  const { row, names, wanted, measure, split } = given
  const whole = wanted.reduce((sum, [, sums]) => sum + sums[measure], 0)
  const shown = row.parts.reduce((sum, { value }) => sum + Number(value), 0)
  if (row.parts.length > 0) compareNumber(proving, `${where}: sum of the colours`, shown, whole)
  if (split !== 'model') return
  for (const [at, name] of names.entries()) {
    const same = wanted.filter(([group]) => group.endsWith(`\n${name}`))
    const others = wanted.filter(([group]) => !names.some((each) => group.endsWith(`\n${each}`)))
    const sums = name.endsWith(' others') ? others : same
    const value = sums.reduce((sum, [, each]) => sum + each[measure], 0)
    compareNumber(proving, `${where} ${name}`, Number(row.parts[at]?.value), value)
  }
}

async function proveRequests(proving: Proving, page: Page, zone: string): Promise<void> {
  const { web, seeded } = proving
  const shown = await readRequestsPage(page, `${web.origin}/o/${seeded.slug}/requests`)
  const expected = await listBySql(web.environment.postgres.pool, seeded.organizationId)
  const found = new Set<string>()
  let refused = 0
  for (const { id, values } of shown) {
    const listed = expected.get(id)
    if (found.has(id)) proving.fail(`${zone}: request ${id} is listed twice`)
    found.add(id)
    if (listed === undefined) refused += 1
    const wanted = listed === undefined ? ['', '', ''] : [listed.input, listed.output, listed.cost]
    for (const [at, value] of wanted.entries())
      compareNumber(proving, `${zone} request ${id}, ${at}`, values[at] ?? 'nothing', String(value))
  }
  compareNumber(proving, `${zone}: requests listed`, found.size - refused, expected.size)
  compareNumber(proving, `${zone}: refusals listed`, refused, seeded.refusals)
}

/** The answers of the API itself, which other pages show too. */
async function proveApi(proving: Proving): Promise<void> {
  const { web, seeded } = proving
  const { pool } = web.environment.postgres
  const root = `${web.origin}/management/v1/organizations/${seeded.slug}`
  const today = dayOf(Date.now())
  const { organizationId } = seeded
  const { body } = await ask(root, 'GET', '/overview', { as: seeded.owner.as })
  const usage = body['usage'] as Record<string, Record<string, unknown>>
  for (const [name, from] of [
    ['today', today],
    ['this_month', `${today.slice(0, 7)}-01`],
  ] as const) {
    // These sums have no end: the usage of days to come, which only this proof has, is in them.
    const sums = (await sumBySql(pool, { organizationId, from, to: '9999-01-01' }, [])).get('')!
    const given = usage[name] ?? {}
    const cost = (given['cost'] as { amount_micro: number } | undefined)?.amount_micro
    compareNumber(proving, `overview ${name} requests`, given['requests'], sums.requests)
    compareNumber(proving, `overview ${name} input`, given['prompt_tokens'], sums.input)
    compareNumber(proving, `overview ${name} cached`, given['cached_tokens'], sums.cached)
    compareNumber(proving, `overview ${name} output`, given['completion_tokens'], sums.output)
    compareNumber(proving, `overview ${name} cost`, cost, sums.cost)
  }
}

/** The exact value of a cell, and for counts the digits that one reads. */
function compare(proving: Proving, where: string, cell: Cell | undefined, value: number): void {
  compareNumber(proving, where, cell?.value, String(value))
  const isMoney = where.endsWith('cost') || where.endsWith('chart, 0')
  if (!isMoney)
    compareNumber(proving, `${where} as text`, cell?.text.replaceAll(/\D/g, ''), String(value))
}

function compareNumber(proving: Proving, where: string, shown: unknown, value: unknown): void {
  proving.cells += 1
  if (shown !== value) proving.fail(`${where}: ${String(shown)} instead of ${String(value)}`)
}
