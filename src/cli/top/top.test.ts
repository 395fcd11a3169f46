import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMetrics, quantileBetween, sumOf } from './parse-metrics.ts'
import type { ProcessSample } from './sample-process.ts'
import { summarise } from './summarise.ts'

const STATUS = { kind: 'api', version: '1.2.3', started_at: '', configuration: '' } as const

function sample(takenMs: number, page: string): ProcessSample {
  const metrics = parseMetrics(page)
  return { url: 'http://127.0.0.1:9090', status: STATUS, takenMs, metrics, report: undefined }
}

test('labels with commas, braces and quotes are read', () => {
  const [first] = parseMetrics('a_total{x="1,}\\"",y="2"} 3\n# HELP a_total text\n')
  assert.deepEqual(first, { name: 'a_total', labels: { x: String.raw`1,}\"`, y: '2' }, value: 3 })
})

test('rates are per second of the time between two samples, by class of status', () => {
  const page = (ok: number, failed: number, tokens: number) => `
headrace_requests_total{status="200",ended="complete"} ${ok}
headrace_requests_total{status="503",ended="complete"} ${failed}
headrace_tokens_total{model="m",kind="output"} ${tokens}
headrace_slots_in_use 3
headrace_engine_slots{engine="one"} 8`
  const row = summarise(sample(0, page(100, 1, 0)), sample(2_000, page(150, 2, 1_000)))
  assert.equal(row.ok_per_second, 25)
  assert.equal(row.refused_per_second, 0)
  assert.equal(row.failed_per_second, 0.5)
  assert.equal(row.tokens_per_second, 500)
  assert.deepEqual([row.running, row.slots], [3, 8])
})

test('a process that was restarted has no negative rates', () => {
  const page = (count: number) => `headrace_requests_total{status="200"} ${count}`
  assert.equal(summarise(sample(0, page(100)), sample(1_000, page(5))).ok_per_second, 0)
})

test('what an older release does not report is null, not 0', () => {
  const row = summarise(sample(0, ''), sample(1_000, ''))
  assert.deepEqual(
    [row.ok_per_second, row.first_token_p95_ms, row.busy_percent],
    [null, null, null],
  )
})

test('a quantile counts only what came between the samples, over all models', () => {
  const page = (fast: number, slow: number) =>
    parseMetrics(
      ['a', 'b']
        .flatMap((model) => [
          `t_bucket{model="${model}",le="0.1"} ${fast}`,
          `t_bucket{model="${model}",le="1"} ${fast + slow}`,
          `t_bucket{model="${model}",le="+Inf"} ${fast + slow}`,
        ])
        .join('\n'),
    )
  const [before, after] = [page(1_000, 0), page(1_000, 10)]
  assert.equal(quantileBetween(before, before, 't', 0.5), undefined)
  assert.equal(quantileBetween(before, after, 't', 0.5), 0.55)
  assert.equal(
    sumOf(after, 't_bucket', ({ le }) => le === '1'),
    2_020,
  )
})
