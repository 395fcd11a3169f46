// A process without a cache answers thousands of callers that it has never seen, instead of 503.
// covers: src/store/tenants/** src/lib/batch-reads.ts src/inference/identify.ts
import { setTimeout as pause } from 'node:timers/promises'
import { forEachLimited } from '../../src/lib/for-each-limited.ts'
import { startEnvironment, type Environment } from '../harness/environment.ts'
import { durationMs, openLine, type Exchange } from '../harness/clients/http-client.ts'
import { percentile } from '../harness/figures/measure.ts'
import { runProof } from '../harness/proof.ts'
import { openKey, openOrganization } from '../harness/seed/tenants.ts'
import { startDistance } from './cold-start/distant-server.ts'

const CALLERS = 2_000
const SOAK_CALLERS = 8_000
const ORGANIZATIONS = 50
const SEEDED_AT_ONCE = 8
/** How long a query takes at least, so that the connections and not the processor are the bound. */
const QUERY_MS = 25
/** Of a process for callers that it has not cached. */
const CONNECTIONS = 5
/** Callers that arrive while one query runs: four times what single look-ups would manage. */
const ARRIVING = 4 * CONNECTIONS
const P99_MS_MAX = 3_000

/** Keys of several organizations: a caller is cached by its key. */
async function openKeys({ postgres }: Environment, count: number): Promise<string[]> {
  const { database } = postgres
  const keys: string[] = []
  const organizations = Array.from({ length: ORGANIZATIONS }, (_, number) => number)
  await forEachLimited(SEEDED_AT_ONCE, organizations, async () => {
    const { projectId } = await openOrganization(database, 'ample')
    for (let key = 0; key < count / ORGANIZATIONS; key += 1)
      keys.push((await openKey(database, projectId)).text)
  })
  return keys
}

/** Each caller with its first request, at a steady rate whatever the answers take. */
async function meet(apiRoot: string, keys: readonly string[]): Promise<Exchange[]> {
  await using line = openLine(apiRoot, keys.length)
  const asked: Promise<Exchange>[] = []
  const sinceMs = performance.now()
  while (asked.length < keys.length) {
    const due = Math.ceil((performance.now() - sinceMs) / QUERY_MS) * ARRIVING
    for (const key of keys.slice(asked.length, due)) asked.push(line.models(key))
    // pacing: the rate at which callers arrive.
    await pause(QUERY_MS)
  }
  return await Promise.all(asked)
}

await runProof('cold-start', async (run) => {
  const engines = [{ name: 'unused', url: 'http://127.0.0.1:9' }]
  await using near = await startEnvironment({ engines })
  await using distance = await startDistance(near.databaseUrl, QUERY_MS)
  await using environment = await startEnvironment({ engines, databaseUrl: distance.url })
  const keys = await openKeys(near, run.soak ? SOAK_CALLERS : CALLERS)
  const api = await environment.startApi()
  const exchanges = await meet(api.apiRoot, keys)
  const statuses = Map.groupBy(exchanges, ({ status }) => status)
  const unavailable = statuses.get(503)?.length ?? 0
  const p99 = percentile(exchanges.map(durationMs), 0.99)
  if (statuses.get(200)?.length !== keys.length)
    run.fail([...statuses].map(([status, { length }]) => `${length} × ${status}`).join(', '))
  if (p99 > P99_MS_MAX) run.fail(`p99 ${p99} ms`)
  return { callers: keys.length, unavailable, p99_ms: Math.round(p99) }
})
