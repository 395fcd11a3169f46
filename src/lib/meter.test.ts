import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMeter } from './meter.ts'

test('a series is on the page at 0 from its creation', async () => {
  const meter = createMeter()
  meter.counter('requests_total', 'Requests.', { status: '500' })
  meter.gauge('lag_seconds', 'Lag.')
  meter.histogram('wait_seconds', 'Wait.', [0.5, 1], { model: 'a' })
  assert.equal(
    await meter.page.text(),
    `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{status="500"} 0
# HELP lag_seconds Lag.
# TYPE lag_seconds gauge
lag_seconds 0
# HELP wait_seconds Wait.
# TYPE wait_seconds histogram
wait_seconds_bucket{model="a",le="0.5"} 0
wait_seconds_bucket{model="a",le="1"} 0
wait_seconds_bucket{model="a",le="+Inf"} 0
wait_seconds_sum{model="a"} 0
wait_seconds_count{model="a"} 0
`,
  )
})

test('the series of one metric are together, whenever they were created', async () => {
  const meter = createMeter()
  meter.counter('one_total', 'One.', { of: 'a' }).add(1)
  meter.gauge('other', 'Other.').record(3)
  meter.counter('one_total', 'One.', { of: 'b' }).add(2)
  const names = (await meter.page.text()).split('\n').filter((line) => !line.startsWith('# HELP'))
  assert.deepEqual(names, [
    '# TYPE one_total counter',
    'one_total{of="a"} 1',
    'one_total{of="b"} 2',
    '# TYPE other gauge',
    'other 3',
    '',
  ])
})

test('a series that is created again continues', async () => {
  const meter = createMeter()
  for (let turn = 0; turn < 2; turn += 1) meter.counter('one_total', 'One.', { of: 'a' }).add(1)
  assert.match(await meter.page.text(), /^one_total\{of="a"\} 2$/m)
})

test('a value equal to a bound belongs to its bucket, and buckets are cumulative', async () => {
  const meter = createMeter()
  const wait = meter.histogram('wait_seconds', 'Wait.', [0.5, 1])
  for (const seconds of [0, 0.5, 0.75, 7]) wait.record(seconds)
  const lines = (await meter.page.text()).split('\n').slice(2)
  assert.deepEqual(lines, [
    'wait_seconds_bucket{le="0.5"} 2',
    'wait_seconds_bucket{le="1"} 3',
    'wait_seconds_bucket{le="+Inf"} 4',
    'wait_seconds_sum 8.25',
    'wait_seconds_count 4',
    '',
  ])
})

test('values of labels are escaped', async () => {
  const meter = createMeter()
  meter.gauge('one', 'One.', { name: 'a"b\\c\nd' })
  assert.match(await meter.page.text(), /^one\{name="a\\"b\\\\c\\nd"\} 0$/m)
})

test('watched values are read with the page, and counters are named `_total`', async () => {
  const meter = createMeter()
  let value = 1
  meter.watch('now', 'Now.', async () => value)
  meter.watchBy('engine', 'ejections_total', 'Ejections.', () => ({ a: value, b: Infinity }))
  value = 2
  assert.equal(
    await meter.page.text(),
    `# HELP now Now.
# TYPE now gauge
now 2
# HELP ejections_total Ejections.
# TYPE ejections_total counter
ejections_total{engine="a"} 2
ejections_total{engine="b"} +Inf
`,
  )
})
