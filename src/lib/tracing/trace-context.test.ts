import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isSampled,
  parseTraceparent,
  renderTraceparent,
  spanIdOf,
  traceIdOf,
  traceLink,
} from './trace-context.ts'
import { uuidV7 } from '../uuid.ts'

const REQUEST_ID = '0199D1A2-3b4c-7def-8123-456789abcdef'
const TRACE_ID = '0199d1a23b4c7def8123456789abcdef'

test('the trace of a request has its id, and its spans have ids that follow from it', () => {
  assert.equal(traceIdOf(REQUEST_ID), TRACE_ID)
  assert.equal(spanIdOf(TRACE_ID, 4), '4123456789abcdef')
  assert.equal(
    renderTraceparent(TRACE_ID, spanIdOf(TRACE_ID, 4), true),
    `00-${TRACE_ID}-4123456789abcdef-01`,
  )
  const link = 'https://traces.example.com/trace/{trace_id}?tree={trace_id}'
  assert.equal(
    traceLink(link, REQUEST_ID),
    `https://traces.example.com/trace/${TRACE_ID}?tree=${TRACE_ID}`,
  )
})

test('a ratio samples that share of requests: none at 0, all at 1', () => {
  const ids = Array.from({ length: 20_000 }, () => traceIdOf(uuidV7()))
  const share = (ratio: number) => ids.filter((id) => isSampled(id, ratio)).length / ids.length
  assert.equal(share(0), 0)
  assert.equal(share(1), 1)
  // Ten standard deviations, so that chance does not fail it.
  assert.ok(Math.abs(share(0.01) - 0.01) < 0.007, String(share(0.01)))
  assert.ok(Math.abs(share(0.5) - 0.5) < 0.036, String(share(0.5)))
})

test('only a valid traceparent is read, and its flags are ignored', () => {
  const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
  for (const flags of ['00', '01', 'ff'])
    assert.deepEqual(parseTraceparent(`00-${traceId}-${spanId}-${flags}`), { traceId, spanId })
  const invalid = [
    '',
    `00-${traceId}-${spanId}`,
    `01-${traceId}-${spanId}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01\n`,
  ]
  for (const header of invalid) assert.equal(parseTraceparent(header), undefined, header)
})
