import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  DEVICE_LIFE_MS,
  openDevice,
  sealDevice,
} from '../../../src/platform/sign-in/identity/device-token.ts'
import { createSealer } from '../../../src/platform/sign-in/identity/sealer.ts'
import { askWithoutEnd } from '../../harness/clients/ask-without-end.ts'
import { openConsoleClient } from '../../harness/clients/console-clients.ts'
import { ask, newAddress, startConsole, type Headers } from '../../harness/processes/console.ts'
import {
  browserOf,
  deviceOf,
  openPersonWithPassword,
  PASSWORD,
  signIn,
  STRANGER,
} from '../../harness/clients/sign-in.ts'
import { SIGNING_KEY } from '../../harness/processes/service.ts'

const FLOODERS = 64
/** So often strangers must have been refused, so that there was a flood. */
const REFUSED_MIN = 200
const ADDRESS_FAILURES = 10
const NETWORK_FAILURES = 20

const server = await startConsole((config) => ({
  ...config,
  console: { ...config.console, trusted_proxies: 1 },
}))
after(() => server[Symbol.asyncDispose]())

function anyNetwork(): Headers {
  const part = () => Math.floor(Math.random() * 256)
  return { 'x-forwarded-for': `${part()}.${part()}.${part()}.9` }
}

test('201: a device that signed in before gets in while strangers are refused', async () => {
  const { email } = await openPersonWithPassword(server)
  const device = deviceOf(await signIn(server, email))
  await using client = openConsoleClient(server.root, { connections: FLOODERS })
  const flood = askWithoutEnd(FLOODERS, async () => {
    const body = { email: `${crypto.randomUUID()}@example.com`, password: 'Winter-2026-pass' }
    return (await client.send('POST', '/sessions', { body, headers: anyNetwork() })).status
  })
  const seen = []
  try {
    while ((flood.answers.get(503) ?? 0) < REFUSED_MIN)
      seen.push((await signIn(server, email, PASSWORD, { ...device, ...anyNetwork() })).status)
  } finally {
    flood.stop()
    await flood.ended
  }
  assert.deepEqual(new Set(seen), new Set([201]), JSON.stringify([...flood.answers]))
})

/** Somebody whose address strangers have guessed at so often that it must wait. */
async function openGuessedAt() {
  const person = await openPersonWithPassword(server)
  const device = deviceOf(await signIn(server, person.email))
  for (let guess = 1; guess <= ADDRESS_FAILURES; guess += 1)
    assert.equal((await signIn(server, person.email, `guess ${guess}`)).status, 401)
  assert.equal((await signIn(server, person.email)).status, 429)
  return { ...person, device }
}

function tokenOf(device: Headers): string {
  return (device['cookie'] ?? '').split('=')[1] ?? ''
}

function withToken(token: string): Headers {
  return { ...STRANGER, cookie: `__Host-headrace_device=${token}` }
}

test('the cookie is for the host only, hidden from pages, and tells nothing', async () => {
  const { email, accountId } = await openPersonWithPassword(server)
  const { cookies } = await signIn(server, email)
  const cookie = cookies.find((value) => value.includes('device')) ?? ''
  const [, token = '', attributes] = /^__Host-headrace_device=([\w-]+); (.*)$/.exec(cookie) ?? []
  assert.equal(attributes, 'Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=15552000')
  const bytes = Buffer.from(token, 'base64url').toString('latin1')
  for (const secret of [email, accountId]) assert.ok(!bytes.includes(secret))
})

test('201: failures of strangers delay no device that signed in before', async () => {
  const { email, device } = await openGuessedAt()
  const from = { 'x-forwarded-for': newAddress() }
  for (let guess = 0; guess < NETWORK_FAILURES; guess += 1)
    await signIn(server, `${crypto.randomUUID()}@example.com`, 'wrong', { ...STRANGER, ...from })
  const { email: other } = await openPersonWithPassword(server)
  assert.equal((await signIn(server, other, PASSWORD, { ...STRANGER, ...from })).status, 429)
  assert.equal((await signIn(server, email, PASSWORD, { ...device, ...from })).status, 201)
})

test('429: no other cookie gives a way around the limit of an address', async () => {
  const { email, device } = await openGuessedAt()
  const token = tokenOf(device)
  const sealer = createSealer([SIGNING_KEY], 'device')
  const own = openDevice(sealer, email, token)!
  const { email: other } = await openPersonWithPassword(server)
  const ofOther = deviceOf(await signIn(server, other))
  const foreign = openDevice(sealer, other, tokenOf(ofOther))!
  const oldMs = Date.now() - DEVICE_LIFE_MS - 1
  const refused: Record<string, string> = {
    'of another account': tokenOf(ofOther),
    'of another account for this address': sealDevice(sealer, email, foreign),
    'of this account for another address': sealDevice(sealer, other, own),
    'too old': sealDevice(sealer, email, { ...own, issuedMs: oldMs }),
    'of another key': sealDevice(createSealer(['A'.repeat(43)], 'device'), email, own),
    'of another purpose': sealDevice(createSealer([SIGNING_KEY], 'challenge'), email, own),
    changed: `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
    cut: token.slice(0, -20),
    'beyond the fourth': [...Array<string>(4).fill(tokenOf(ofOther)), token].join('.'),
    empty: '',
  }
  for (const [name, value] of Object.entries(refused))
    assert.equal((await signIn(server, email, PASSWORD, withToken(value))).status, 429, name)
  const both = withToken(`${tokenOf(ofOther)}.${token}`)
  assert.equal((await signIn(server, email, PASSWORD, both)).status, 201)
})

test('429: a stolen cookie allows ten guesses, and delays nobody else', async () => {
  const { email } = await openPersonWithPassword(server)
  const stolen = deviceOf(await signIn(server, email))
  const other = deviceOf(await signIn(server, email))
  for (let guess = 1; guess <= ADDRESS_FAILURES; guess += 1)
    assert.equal((await signIn(server, email, `guess ${guess}`, stolen)).status, 401)
  assert.equal((await signIn(server, email, PASSWORD, stolen)).status, 429)
  assert.equal((await signIn(server, email, PASSWORD, other)).status, 201)
  assert.equal((await signIn(server, email)).status, 201)
})

test('a new password makes every other device a new one', async () => {
  const { email, device, accountId } = await openGuessedAt()
  const signedIn = await signIn(server, email, PASSWORD, device)
  const password = 'seven-lamps-and-a-boat'
  const body = { password }
  const changed = await ask(server.root, 'PUT', '/me/password', { as: browserOf(signedIn), body })
  assert.equal(changed.status, 204, changed.text)
  // The change ended the delay of the address.
  for (let guess = 1; guess <= ADDRESS_FAILURES; guess += 1)
    await server.environment.loginLimits.attempt({ kind: 'email', email })
  assert.equal((await signIn(server, email, password, device)).status, 429)
  const here = deviceOf(changed)
  assert.equal((await signIn(server, email, password, here)).status, 201)
  await server.postgres.database
    .updateTable('passwords')
    .set({ changed_at: new Date() })
    .where('account_id', '=', accountId)
    .execute()
  assert.equal((await signIn(server, email, password, here)).status, 429)
})

test('a browser remembers four accounts', async () => {
  const emails: string[] = []
  let device = STRANGER
  for (let count = 0; count < 5; count += 1) {
    const { email } = await openPersonWithPassword(server)
    emails.push(email)
    device = deviceOf(await signIn(server, email, PASSWORD, device))
  }
  const tokens = tokenOf(device).split('.')
  const sealer = createSealer([SIGNING_KEY], 'device')
  const known = emails.filter((email) => tokens.some((token) => openDevice(sealer, email, token)))
  assert.deepEqual(known, emails.slice(1))
})

test('201: without a signing key people sign in, and nothing is remembered', async () => {
  await using keyless = await startConsole(({ signing_key: _unset, ...config }) => config)
  const { email } = await openPersonWithPassword(keyless)
  const { status, cookies } = await signIn(keyless, email, PASSWORD, withToken('A'.repeat(150)))
  assert.deepEqual([status, cookies.length], [201, 1])
})
