import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNetworks, readAddress, readNetwork } from './networks.ts'

test('an address has one spelling, however it is written', () => {
  const spellings: readonly [string, string | undefined][] = [
    ['192.0.2.7', '192.0.2.7'],
    [' 192.0.2.7:443 ', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['[::FFFF:c000:207]:80', '192.0.2.7'],
    ['2001:DB8::1', '2001:db8:0:0:0:0:0:1'],
    ['[2001:db8::1]:443', '2001:db8:0:0:0:0:0:1'],
    ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
    ['unknown', undefined],
    ['192.0.2', undefined],
    ['', undefined],
  ]
  for (const [text, address] of spellings) assert.equal(readAddress(text), address, text)
})

test('a network is an address with a length, or one address', () => {
  assert.equal(readNetwork('192.0.2.0/24'), '192.0.2.0/24')
  assert.equal(readNetwork('192.0.2.7'), '192.0.2.7/32')
  assert.equal(readNetwork('2001:DB8:0:0::/32'), '2001:db8::/32')
  assert.equal(readNetwork('::/0'), '::/0')
  assert.equal(readNetwork('2001:db8:0:1:0:0:0:5'), '2001:db8:0:1::5/128')
  for (const text of [
    '192.0.2.0/33',
    '2001:db8::/129',
    '192.0.2.0/',
    '/8',
    'x',
    '::ffff:1.2.3.4/96',
  ])
    assert.equal(readNetwork(text), undefined, text)
})

test('an address is in a network of its own family only', () => {
  const networks = createNetworks(['192.0.2.0/24', '2001:db8::/32'])
  for (const text of ['192.0.2.255', '::ffff:192.0.2.1', '2001:db8:ffff::1'])
    assert.equal(networks.has(readAddress(text)), true, text)
  for (const text of ['192.0.3.1', '::1', '2001:db9::1', 'unknown'])
    assert.equal(networks.has(readAddress(text)), false, text)
  assert.equal(createNetworks([]).has('192.0.2.1'), false)
  assert.equal(createNetworks(['0.0.0.0/0']).has('192.0.2.1'), true)
})
