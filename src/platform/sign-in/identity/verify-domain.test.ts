import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { test } from 'node:test'
import { startDnsServer } from '../../../../test/harness/servers/dns.ts'
import {
  createDomainChallenge,
  createTxtResolver,
  domainOfEmail,
  readDomain,
  verifyDomain,
} from './verify-domain.ts'

test('a domain is verified by its TXT record with exactly the challenge', async () => {
  await using dns = await startDnsServer()
  const resolver = createTxtResolver([dns.address])
  const challenge = createDomainChallenge()
  const verify = () => verifyDomain(resolver, 'acme.example', challenge)
  assert.equal(await verify(), 'absent')
  for (const other of [createDomainChallenge(), `${challenge}x`, `x${challenge}`, '']) {
    dns.records.set('_headrace.acme.example', [other])
    assert.equal(await verify(), 'absent', other)
  }
  dns.records.delete('_headrace.acme.example')
  dns.records.set('acme.example', [challenge])
  assert.equal(await verify(), 'absent')
  dns.records.set('_headrace.acme.example', ['v=other', 'x'.repeat(400), challenge])
  assert.equal(await verify(), 'present')
})

test('a DNS server that fails is not an answer', async () => {
  await using dns = await startDnsServer()
  dns.records.set('_headrace.acme.example', 'fail')
  const resolver = createTxtResolver([dns.address])
  assert.equal(await verifyDomain(resolver, 'acme.example', 'x'), 'unavailable')
})

test('an empty list of servers means those of the system', () => {
  const system = new Resolver().getServers()
  assert.notDeepEqual(system, [])
  assert.deepEqual(createTxtResolver([]).getServers(), system)
  assert.deepEqual(createTxtResolver(['127.0.0.1:5353']).getServers(), ['127.0.0.1:5353'])
})

test('every spelling of a domain is read as the same one', () => {
  for (const text of ['acme.example', 'ACME.Example', ' acme.example '])
    assert.equal(readDomain(text), 'acme.example')
  assert.equal(readDomain('Bücher.example'), 'xn--bcher-kva.example')
})

test('a text that is not a domain of at least two parts is refused', () => {
  const faulty = ['', 'localhost', 'acme', '.example', 'acme.', 'acme..example', '-a.example']
  const more = [
    '127.0.0.1',
    'a_b.example',
    'a b.example',
    'a/b.example',
    'a@b.example',
    '*.example',
  ]
  for (const text of [
    ...faulty,
    ...more,
    `${'a.'.repeat(200)}example`,
    `${'a'.repeat(64)}.example`,
  ])
    assert.equal(readDomain(text), undefined, text)
})

test('the domain of an address is what follows its last @', () => {
  assert.equal(domainOfEmail('ann@acme.example'), 'acme.example')
  assert.equal(domainOfEmail('"ann@acme.example"@evil.example'), 'evil.example')
  for (const email of ['ann', '@acme.example', 'ann@', 'ann@acme'])
    assert.equal(domainOfEmail(email), undefined, email)
})
