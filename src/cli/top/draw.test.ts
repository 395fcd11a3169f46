import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draw } from './draw.ts'

const NOW_MS = Date.parse('2026-05-01T12:00:00.000Z')
const WIDE = { columns: 80, lines: Infinity }

const PROCESS = {
  process: 'http://gateway-0.gateway.production.svc.cluster.local:9090',
  kind: 'console',
  ok_per_second: 12_345.6,
  refused_per_second: 1_234,
  failed_per_second: 999.4,
  running: 1_024,
  tokens_per_second: 1_234_567,
  first_token_p95_ms: 123_456,
  busy_percent: 100,
  memory_mib: 12_345,
  lag_seconds: 86_400,
}

const ENGINE = {
  engine: 'one',
  state: 'ready',
  since: '2026-05-01T09:30:00.000Z',
  reason: null,
  running: 3,
  leased: 5,
  found: 16,
  capacity: 16,
  waiting_inside: 0,
  first_token_ms: 120,
  tokens_per_second: 55.1,
  cached_percent: 87.4,
}

function fleetOf(engines: readonly (typeof ENGINE)[]) {
  const model = 'acme/a-model-with-a-name-that-is-longer-than-most-of-them'
  return {
    engines,
    models: [
      { model, running: 3, waiting: 2, expected_wait_seconds: 1.5, refused_per_second: 0.5 },
    ],
    organizations: [
      {
        organization: '019a8c3e-0000-7000-8000-000000000000',
        model,
        share_percent: 61.2,
        tokens: 12_345,
      },
    ],
  }
}

test('every line fits in 80 columns, whatever the names and figures are', () => {
  const engine = {
    ...ENGINE,
    engine: 'e'.repeat(256),
    state: 'misconfigured',
    running: 9_999,
    leased: 9_999,
    found: 999,
    capacity: 999,
    waiting_inside: 999,
    first_token_ms: 999_999,
    tokens_per_second: 99_999,
  }
  const text = draw([PROCESS], fleetOf([engine]), WIDE, NOW_MS)
  for (const line of text.split('\n')) assert.ok(line.length <= 80, `${line.length}: ${line}`)
  assert.match(text, /^e+… misconfigured/m)
})

test('an engine is shown with its state, slots and speed', () => {
  const text = draw([], fleetOf([{ ...ENGINE, found: 12 }]), WIDE, NOW_MS)
  assert.match(text, /^one +ready +2h +3 +5 +12\/16 +0 +120 +55.1 +87.4$/m)
  assert.match(text, /^acme\/\S+ +3 +2 +1.5 +0.5$/m)
  assert.match(text, /019a8c3e-0000-7000-8000-000000000000 +12k +61.2$/m)
})

test('what does not fit on the screen is counted, and engines in need come first', () => {
  const engines = Array.from({ length: 300 }, (_, at) => ({ ...ENGINE, engine: `e${at}` }))
  const ejected = { ...ENGINE, engine: 'broken', state: 'ejected' }
  const { models, organizations } = fleetOf([])
  const many = <Row>(rows: readonly Row[]) => Array.from({ length: 20 }, () => rows).flat()
  const fleet = {
    engines: [...engines, ejected],
    models: many(models),
    organizations: many(organizations),
  }
  const text = draw(many([PROCESS]), fleet, { columns: 80, lines: 24 }, NOW_MS)
  const lines = text.split('\n')
  // The time is printed above.
  assert.ok(lines.length < 24, `${lines.length}`)
  const head = lines.findIndex((line) => line.startsWith('ENGINE'))
  assert.match(lines[head + 1] ?? '', /^broken +ejected/)
  assert.match(text, /^… 29\d more$/m)
})

test('control characters do not reach the terminal', () => {
  const engine = { ...ENGINE, engine: '\u001B[2Jone' }
  assert.ok(!draw([], fleetOf([engine]), WIDE, NOW_MS).includes('\u001B'))
})
