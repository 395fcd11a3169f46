import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAmount, readMicro } from './amount.ts'

test('an amount is read with a comma or a point, with and without groups', () => {
  const typed = ['12.50', '12,50', ' 1,250.50 ', '1.250,50', '1 250,50', '1’250.50', '-3,5', '7']
  assert.deepEqual(typed.map(readAmount), [
    '12.50',
    '12.50',
    '1250.50',
    '1250.50',
    '1250.50',
    '1250.50',
    '-3.5',
    '7',
  ])
})

test('an amount that could mean two is left for the service to refuse', () => {
  assert.deepEqual(['1,250', '1,250,000', 'ten'].map(readAmount), ['1,250', '1,250,000', 'ten'])
})

test('millionths are known for complete amounts only', () => {
  const typed = ['12,50', '-3.5', '0.000001', '7.', '', '-', '1,250', 'ten', '1e3']
  assert.deepEqual(typed.map(readMicro), [
    12_500_000,
    -3_500_000,
    1,
    7_000_000,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
