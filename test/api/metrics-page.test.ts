import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMetrics } from '../harness/figures/metrics-page.ts'

test('the reader of pages rejects what Prometheus would', () => {
  const head = '# HELP one_total One.\n# TYPE one_total counter\n'
  assert.equal(parseMetrics(`${head}one_total{a="b"} 1\n`).get('one_total{a="b"}'), 1)
  for (const wrong of [
    `${head}one_total 1`,
    `${head}one_total{a="b"} 1\none_total{a="b"} 1\n`,
    `${head}other_total 1\n`,
    `${head}one_total{a="b"} x\n`,
    `${head}one_total{a="b} 1\n`,
    '# HELP one One.\n# TYPE one counter\none 1\n',
  ])
    assert.throws(() => parseMetrics(wrong), wrong)
})
