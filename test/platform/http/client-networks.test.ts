import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProxyNote } from '../../../src/platform/use-case/note-unknown-proxy.ts'
import { hasUnknownProxy } from '../../../src/store/sign-in/unknown-proxy.ts'
import { ask, newAddress, startConsole, type TestConsole } from '../../harness/processes/console.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import {
  openPersonWithPassword,
  PASSWORD,
  signIn,
  STRANGER,
} from '../../harness/clients/sign-in.ts'

const NETWORK_FAILURES = 20
const PROXY_FAILURES = 200

let people = 0

/** Guesses at accounts that are all different. Returns the statuses. */
async function guess(server: TestConsole, times: number, from: string, header = {}) {
  const statuses = []
  for (let count = 0; count < times; count += 1) {
    people += 1
    const email = `${crypto.randomUUID()}-${people}@example.com`
    const as = { ...STRANGER, ...header }
    statuses.push((await signIn(server, email, 'Winter-2026-pass', as, from)).status)
  }
  return new Set(statuses)
}

test('by default 20 failures of one network make it wait, and nobody else', async () => {
  await using server = await startConsole()
  const { email } = await openPersonWithPassword(server)
  const from = newAddress()
  assert.deepEqual(await guess(server, NETWORK_FAILURES, from), new Set([401]))
  assert.equal((await signIn(server, email, PASSWORD, STRANGER, from)).status, 429)
  assert.equal((await signIn(server, email)).status, 201)
})

test('behind an unknown proxy one client locks nobody out, within a bound', async () => {
  await using server = await startConsole()
  const { email } = await openPersonWithPassword(server)
  const { loginLimits, valkey } = server.environment
  const from = newAddress()
  const forwarded = { 'x-forwarded-for': '203.0.113.9' }
  const other = { ...STRANGER, 'x-forwarded-for': '198.51.100.7' }
  await guess(server, NETWORK_FAILURES + 1, from, forwarded)
  assert.equal((await signIn(server, email, PASSWORD, other, from)).status, 201)
  const network = `${from.slice(0, -2)}.0/24`
  for (let count = NETWORK_FAILURES + 1; count < PROXY_FAILURES; count += 1)
    await loginLimits.attempt({ kind: 'proxy', prefix: network })
  assert.deepEqual(await guess(server, 1, from, forwarded), new Set([429]))
  await waitUntil('the proxy is remembered', () => hasUnknownProxy(valkey, 'console'), 5_000)
})

test('an unknown proxy is logged once and remembered every hour', () => {
  const seen = { warned: 0, remembered: 0 }
  const note = createProxyNote(
    () => void (seen.warned += 1),
    async () => void (seen.remembered += 1),
  )
  for (let count = 0; count < 3; count += 1) note()
  assert.deepEqual(seen, { warned: 1, remembered: 1 })
})

const PEER = '127.9.8.0/24'

test('the client is the address that the first trusted proxy saw', async () => {
  const expected = [
    [0, '203.0.113.9', PEER],
    [1, undefined, PEER],
    [1, '198.51.100.1, 203.0.113.9', '203.0.113.0/24'],
    [1, '198.51.100.1, 203.0.113.9:50123', '203.0.113.0/24'],
    [1, '::ffff:203.0.113.9', '203.0.113.0/24'],
    [1, '[2001:db8:0:7::1]:443', '2001:db8:0::/48'],
    [1, 'unknown', 'unreadable'],
    [2, '192.0.2.1, 203.0.113.9, 198.51.100.1', '203.0.113.0/24'],
    [2, '203.0.113.9', PEER],
  ] as const
  for (const proxies of [0, 1, 2]) {
    await using server = await startConsole((config) => ({
      ...config,
      console: { ...config.console, trusted_proxies: proxies },
    }))
    const { email } = await openPersonWithPassword(server)
    for (const [, header, network] of expected.filter(([count]) => count === proxies)) {
      const answer = await ask(server.root, 'POST', '/sessions', {
        as: STRANGER,
        from: '127.9.8.7',
        headers: header === undefined ? {} : { 'x-forwarded-for': header },
        body: { email, password: PASSWORD },
      })
      const session = answer.body['session'] as { readonly address_prefix: string }
      assert.equal(session.address_prefix, network, `${proxies} proxies, ${header}`)
    }
  }
})
