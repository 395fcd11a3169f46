import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { FIXED, UNIT_COSTS } from './unit-costs.ts'
import { assumeWorkload } from './workload.ts'

const ROOT = new URL('../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')

test('each figure names a proof that exists and is described', () => {
  const described = read('docs/proofs.md')
  for (const [name, { proof, value, unit, what }] of Object.entries(UNIT_COSTS)) {
    assert.ok(existsSync(new URL(`test/prove/${proof}.ts`, ROOT)), `${name}: ${proof}`)
    assert.match(described, new RegExp(`^### ${proof}$`, 'm'), name)
    assert.ok(value > 0 && unit !== '' && what !== '', name)
  }
})

const ASSUMED = assumeWorkload({ streams: 1, tokensPerSecond: 1 })

/** Where the code has a number that the calculator knows too. */
const SOURCES = [
  ['src/store/usage/checkpoints.ts', `CHECKPOINT_TOKENS = ${FIXED.checkpointTokens}\n`],
  ['src/store/usage/checkpoints.ts', `CHECKPOINT_MS = ${FIXED.checkpointSeconds}_000\n`],
  ['src/store/usage/checkpoints.ts', `TICK_MS = ${1_000 / FIXED.checkpointTicksPerSecond}\n`],
  ['src/engines/fleet/heartbeat.ts', `const INTERVAL_MS = ${1_000 / FIXED.heartbeatsPerSecond}\n`],
  [
    'src/engines/fleet/heartbeat.ts',
    `URGENT_INTERVAL_MS = ${1_000 / FIXED.urgentHeartbeatsPerSecond}\n`,
  ],
  ['src/store/tenants/identity-cache.ts', `IDENTITIES_MAX = ${FIXED.cachedCallers / 1_000}_000\n`],
  ['src/store/tenants/identity-cache.ts', 'REFRESH_AFTER_MS = 15 * MINUTE_MS\n'],
  ['src/store/tenants/identity-cache.ts', 'REFRESH_JITTER = 0.5\n'],
  ['docs/configuration.md', `\`database.connections\` | \`${ASSUMED.apiConnections}\``],
  // The lock of the leader has one more.
  ['src/start/serve-worker.ts', `CONNECTIONS_MAX = ${FIXED.workerConnections - 1}\n`],
  ['docs/configuration.md', `\`ledger.hourly_days\` | \`${FIXED.hourlyDays}\``],
  ['docs/configuration.md', `\`ledger.daily_days\` | \`${FIXED.dailyDays}\``],
] as const

test('the rates that the calculator assumes are those of the code', () => {
  for (const [path, text] of SOURCES) assert.ok(read(path).includes(text), `${path}: ${text}`)
  // From 15 minutes to half as much again.
  assert.equal(FIXED.callerSeconds, 15 * 60 * 1.25)
})
