import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOfAddress } from './network-of-address.ts'

test('an IPv4 address has one /24, with a port, with spaces and as IPv6', () => {
  const spellings = '203.0.113.9 203.0.113.9:50123 ::ffff:203.0.113.9 ::ffff:cb00:7109'
  const more = '[::ffff:203.0.113.9]:443 0:0:0:0:0:FFFF:203.0.113.77'
  for (const spelling of `${spellings} ${more}`.split(' '))
    assert.equal(networkOfAddress(` ${spelling} `), '203.0.113.0/24', spelling)
  assert.equal(networkOfAddress('::ffff:198.51.100.7'), '198.51.100.0/24')
})

test('an IPv6 address has one /48, in every spelling', () => {
  const spellings = '2001:db8:0:1::2 2001:0DB8:0000:ffff:1:2:3:4 [2001:db8::1] [2001:db8::7]:443'
  for (const spelling of `${spellings} 2001:db8::192.0.2.1 2001:db8::1%eth0`.split(' '))
    assert.equal(networkOfAddress(spelling), '2001:db8:0::/48', spelling)
  assert.equal(networkOfAddress('::1'), '0:0:0::/48')
  assert.equal(networkOfAddress('2001:db8:1::'), '2001:db8:1::/48')
  assert.equal(networkOfAddress('1:2:3:4:5:6:7:8'), '1:2:3::/48')
})

test('all that is no address is one network', () => {
  for (const text of ['', ...'unknown _hidden 300.1.2.3 1.2.3.4:x [::1 fe80::1% ::g'.split(' ')])
    assert.equal(networkOfAddress(text), 'unreadable', text)
})
