import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublicAddress } from './public-address.ts'

test('addresses of the public internet are public', () => {
  const addresses = [
    '1.1.1.1',
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '193.0.0.1',
    '223.255.255.255',
  ]
  for (const address of [...addresses, '2606:4700::1111', '2a00:1450::1', '2001:4860:4860::8888'])
    assert.equal(isPublicAddress(address), true, address)
})

test('private, loopback, link-local, reserved and multicast addresses are not public', () => {
  const v4 =
    '0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1'
  const more =
    '172.31.255.255 192.0.0.1 192.168.1.1 198.18.0.1 198.19.255.255 203.0.113.9 224.0.0.1'
  const last = '240.0.0.1 255.255.255.255'
  for (const address of `${v4} ${more} ${last}`.split(' '))
    assert.equal(isPublicAddress(address), false, address)
})

test('IPv6 forms of private addresses are not public', () => {
  const local = ':: ::1 fe80::1 fe80::1%lo fc00::1 fd12:3456::1 fec0::1 ff02::1 100::1 2001:db8::1'
  const tunnels = '::ffff:127.0.0.1 ::ffff:7f00:1 ::127.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: 2001::1'
  for (const address of `${local} ${tunnels} 0:0:0:0:0:ffff:a00:1`.split(' '))
    assert.equal(isPublicAddress(address), false, address)
})

test('a text that is not an address is not public', () => {
  for (const text of ['', 'localhost', '127.1', '2130706433', '0x7f.1', '1.1.1.1.', '1.1.1.1:80'])
    assert.equal(isPublicAddress(text), false, text)
})
