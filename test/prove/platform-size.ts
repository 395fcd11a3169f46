// With 100,000 organizations and two million keys every list and read of the management API reads
// at most a page more than it returns, and answers within 50 ms.
// covers: src/platform/** src/store/** migrations/**
import { REQUESTS_MAX } from '../../src/store/ledger/recent-speed.ts'
import { KEYS_COUNTED_MAX } from '../../src/store/tenants/count-keys.ts'
import { MATCHES_MAX } from '../../src/store/tenants/search-term.ts'
import type { Route } from '../../src/platform/api/route.ts'
import { ROUTES } from '../../src/platform/api/routes.ts'
import { openPostgres, type Postgres } from '../../src/store/postgres/postgres.ts'
import { startConsole, type TestConsole } from '../harness/processes/console.ts'
import { percentile } from '../harness/figures/measure.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { askRoute } from '../harness/routes/ask-route.ts'
import { nameOf, whyUntestable, type ExampleRequest } from '../harness/routes/example-request.ts'
import { OUTCOMES } from '../harness/routes/outcomes.ts'
import type { Place } from '../harness/routes/things.ts'
import { DAYS, fill, type Size } from './platform-size/fill.ts'
import {
  itemsOf,
  openReaders,
  readersOf,
  requestsOf,
  type Reader,
} from './platform-size/read-routes.ts'
import {
  captureStatements,
  explainBriefly,
  readingsOf,
  type Reading,
} from './platform-size/statements.ts'

const FULL: Size = {
  organizations: 100_000,
  keys: 2_000_000,
  keysOfLargest: 400_000,
  members: 20_000,
  projects: 5_000,
  events: 300_000,
  keysInUse: 1_000,
}

const SHORT: Size = {
  organizations: 5_000,
  keys: 60_000,
  keysOfLargest: 20_000,
  members: 2_000,
  projects: 1_000,
  events: 20_000,
  keysInUse: 100,
}

/** The largest page, and one row to learn whether there is a next one. */
const PAGE_ROWS = 101
const P95_MS_MAX = 50
const TIMED_REQUESTS = 40
/** Explaining repeats a statement, and those that are too slow shall be reported too. */
const EXPLAIN_TIMEOUT_MS = 60_000

/** Sums read the roll-ups of their period: at most a row per day, or hour, and used key. */
const SUMMED = ['usage_daily', 'usage_hourly']
/** Counts that are shown end here, as "more than 1,000". */
const COUNTED_ROWS_MAX = 1_001
/** Small tables are read as a whole, which would hide that an index is missing. */
const PREFER_INDEXES = '-c enable_seqscan=off'

type Proof = {
  readonly run: ProofRun
  readonly size: Size
  readonly console_: TestConsole
  readonly place: Place
  readonly explaining: Postgres
  readonly slowest: { name: string; p95: number }[]
  readonly counts: { requests: number; statements: number; rowsMax: number }
}

/** Reads once and explains what was read. */
async function checkRows(
  proof: Proof,
  route: Route,
  reader: Reader,
  request: ExampleRequest,
): Promise<void> {
  const { run, console_, explaining, counts } = proof
  const name = `${reader.name} GET ${request.path}`
  let items = 0
  const statements = await captureStatements(async () => {
    const answer = await askRoute(console_.root, request, reader.as)
    items = itemsOf(answer)
    const tolerated = OUTCOMES[nameOf(route)]?.includes(answer.code) ?? false
    if (answer.status >= 400 && !tolerated)
      run.fail(`${name}: answered ${answer.status} ${answer.text}`)
  })
  counts.requests += 1
  counts.statements += statements.length
  for (const statement of statements) {
    const readings = await readingsOf(explaining.pool, statement)
    for (const reading of readings) {
      const listed = Math.max(items, reading.returned)
      const max = listed + rowsAllowed(proof, reading, listed)
      if (!SUMMED.includes(reading.table))
        counts.rowsMax = Math.max(counts.rowsMax, reading.rows - reading.returned)
      if (reading.rows > max) run.fail(await describeReading(explaining, name, reading, max))
    }
  }
}

function rowsAllowed({ size }: Proof, { table, statement }: Reading, listed: number): number {
  if (SUMMED.includes(table)) return size.keysInUse * DAYS
  const { text } = statement
  if (/^\s*select count\(\*\)/.test(text)) return COUNTED_ROWS_MAX
  // Of each member or project in a list; beyond the bound the page shows "100+".
  if (table === 'api_keys' && text.includes('count(*)')) return listed * (KEYS_COUNTED_MAX + 1)
  // Each way in which a search finds ends after so many rows.
  if (text.includes('as found')) return 3 * MATCHES_MAX + PAGE_ROWS
  // Medians are made of the newest requests.
  if (table === 'usage_records' && text.includes('percentile_cont')) return REQUESTS_MAX
  return PAGE_ROWS
}

async function describeReading(
  { pool }: Postgres,
  name: string,
  { statement, table, rows }: Reading,
  max: number,
): Promise<string> {
  const plan = await explainBriefly(pool, statement)
  const text = statement.text.replaceAll(/\s+/g, ' ').slice(0, 400)
  return `${name}: reads ${rows} rows of ${table}, at most ${max} allowed\n  ${text}\n    ${plan}`
}

async function checkTime(
  { console_, slowest }: Proof,
  reader: Reader,
  requests: readonly ExampleRequest[],
): Promise<void> {
  for (const request of requests) {
    const timesMs: number[] = []
    for (let count = 0; count < TIMED_REQUESTS; count += 1) {
      const startMs = performance.now()
      await askRoute(console_.root, request, reader.as)
      timesMs.push(performance.now() - startMs)
    }
    slowest.push({ name: `${reader.name} GET ${request.path}`, p95: percentile(timesMs, 0.95) })
  }
}

async function readAll(proof: Proof, routes: readonly Route[]): Promise<void> {
  const { run, console_, place } = proof
  const readers = await openReaders(console_, place)
  for (const route of routes) {
    const untestable = whyUntestable(route)
    if (untestable !== undefined) run.fail(`${nameOf(route)}: ${untestable}`)
    else
      for (const reader of readersOf(route, readers)) {
        const requests = await requestsOf(console_, route, reader, place)
        for (const request of requests) await checkRows(proof, route, reader, request)
        // The time of an export grows with what is exported.
        if (run.soak && route.send === undefined) await checkTime(proof, reader, requests)
      }
  }
}

/** The full size with another number of keys, and everything else in proportion. */
function scaled(keys: number): Size {
  const entries = Object.entries(FULL).map(([name, count]) => [
    name,
    Math.ceil((count * keys) / FULL.keys),
  ])
  return Object.fromEntries(entries) as Size
}

async function prove(run: ProofRun) {
  const size = run.soak ? scaled(Number(run.values['keys'] ?? FULL.keys)) : SHORT
  await using console_ = await startConsole()
  const { databaseUrl: url } = console_
  const explainUrl = new URL(url)
  if (!run.soak) explainUrl.searchParams.set('options', PREFER_INDEXES)
  const patient = { queryTimeoutMs: EXPLAIN_TIMEOUT_MS }
  await using explaining = openPostgres(explainUrl.href, patient)
  const startMs = performance.now()
  const place = await fill(url, explaining.pool, size)
  const fillSeconds = Math.round((performance.now() - startMs) / 1000)
  const counts = { requests: 0, statements: 0, rowsMax: 0 }
  const proof: Proof = { run, size, console_, place, explaining, slowest: [], counts }
  const only = run.values['only']
  const reads = ROUTES.filter(({ method, needs }) => method === 'GET' && needs === undefined)
  await readAll(
    proof,
    reads.filter((route) => only === undefined || nameOf(route).includes(only)),
  )
  const slowest = proof.slowest.toSorted((one, other) => other.p95 - one.p95)
  for (const { name, p95 } of slowest.slice(0, 12)) console.log(`${p95.toFixed(1)} ms  ${name}`)
  for (const { name, p95 } of slowest)
    if (p95 > P95_MS_MAX) run.fail(`${name}: p95 is ${p95.toFixed(1)} ms`)
  return {
    organizations: size.organizations,
    keys: size.keys,
    fill_s: fillSeconds,
    routes: reads.length,
    ...counts,
    ...(run.soak && { p95_ms_max: slowest[0]?.p95.toFixed(1) ?? '' }),
  }
}

await runProof('platform-size', prove, {
  only: { type: 'string' },
  keys: { type: 'string' },
})
