import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  createSigningKey,
  issuePlaygroundCredential,
  PLAYGROUND_LIFE_MS_MAX,
  playgroundRealm,
  verifyPlaygroundCredential,
  type SigningKey,
} from './playground-credential.ts'

const NOW_MS = Date.parse('2026-05-01T12:00:00Z')
const NOW = NOW_MS / 1000
const LEEWAY = 30
const REALM = playgroundRealm({ key_prefix: 'headrace', path_segment: 'compat' })
const KEY = createSigningKey(randomBytes(32).toString('base64url'))
const LEAD = 'headrace_pg_'
const CLAIMS = {
  id: 'the-id',
  organizationId: 'the-organization',
  projectId: 'the-project',
  accountId: 'the-account',
  expiresAt: new Date(NOW_MS + 300_000),
}
const PAYLOAD = {
  iss: 'headrace',
  aud: '/compat/v1',
  sub: 'the-account',
  organization: 'the-organization',
  project: 'the-project',
  jti: 'the-id',
  iat: NOW,
  exp: NOW + 300,
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Any header and payload, with a valid signature. */
function forge(payload: unknown, header: string = KEY.header, key: KeyObject = KEY.privateKey) {
  const signed = `${header}.${typeof payload === 'string' ? payload : encode(payload)}`
  return `${LEAD}${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
}

function verifies(text: string, keys: readonly SigningKey[] = [KEY], nowMs = NOW_MS): boolean {
  return verifyPlaygroundCredential(text, REALM, keys, nowMs) !== undefined
}

test('an issued credential is valid and carries its claims', () => {
  const text = issuePlaygroundCredential(CLAIMS, REALM, KEY, NOW_MS)
  assert.ok(text.startsWith(LEAD))
  assert.ok(text.length < 600, String(text.length))
  assert.deepEqual(verifyPlaygroundCredential(text, REALM, [KEY], NOW_MS), CLAIMS)
  assert.equal(text, forge(PAYLOAD))
})

test('it is invalid from the second of its expiry on, without leeway', () => {
  const text = issuePlaygroundCredential(CLAIMS, REALM, KEY, NOW_MS)
  assert.ok(verifies(text, [KEY], NOW_MS + 299_999))
  assert.ok(!verifies(text, [KEY], NOW_MS + 300_000))
})

test('it can be issued for at most ten minutes, and not for zero', () => {
  for (const lifeMs of [PLAYGROUND_LIFE_MS_MAX + 1, 0, -1]) {
    const claims = { ...CLAIMS, expiresAt: new Date(NOW_MS + lifeMs) }
    assert.throws(() => issuePlaygroundCredential(claims, REALM, KEY, NOW_MS), RangeError)
  }
  const longest = { ...CLAIMS, expiresAt: new Date(NOW_MS + 999 + PLAYGROUND_LIFE_MS_MAX) }
  assert.ok(verifies(issuePlaygroundCredential(longest, REALM, KEY, NOW_MS + 999)))
})

test('a longer lifetime is rejected even with a valid signature', () => {
  assert.ok(!verifies(forge({ ...PAYLOAD, exp: NOW + 602 })))
})

test('a time of issue in the future is rejected beyond the clock leeway', () => {
  assert.ok(verifies(forge({ ...PAYLOAD, iat: NOW + LEEWAY })))
  assert.ok(!verifies(forge({ ...PAYLOAD, iat: NOW + LEEWAY + 1 })))
})

test('ASVS 9.1: algorithm "none" and other algorithms are rejected', () => {
  const payload = encode(PAYLOAD)
  const kid = (JSON.parse(Buffer.from(KEY.header, 'base64url').toString()) as { kid: string }).kid
  for (const alg of ['none', 'None', 'HS256', 'RS256', 'ES256', 'Ed25519', 'EdDSA ']) {
    const header = encode({ alg, typ: 'headrace-playground+jwt', kid })
    assert.ok(!verifies(forge(PAYLOAD, header)), alg)
    assert.ok(!verifies(`${LEAD}${header}.${payload}.`), alg)
    assert.ok(!verifies(`${LEAD}${header}.${payload}`), alg)
  }
  assert.ok(!verifies(`${LEAD}${KEY.header}.${payload}.`))
  assert.ok(!verifies(`${LEAD}${KEY.header}.${payload}`))
})

test('ASVS 9.1: the public key used as an HMAC secret is rejected', () => {
  const header = encode({ alg: 'HS256', typ: 'headrace-playground+jwt' })
  const signed = `${header}.${encode(PAYLOAD)}`
  const secret = KEY.publicKey.export({ format: 'der', type: 'spki' })
  const signature = createHmac('sha256', secret).update(signed).digest('base64url')
  assert.ok(!verifies(`${LEAD}${signed}.${signature}`))
})

test('ASVS 9.1: a key in the header, or one that it points to, is not used', () => {
  const stranger = generateKeyPairSync('ed25519')
  const jwk = stranger.publicKey.export({ format: 'jwk' })
  const header = JSON.parse(Buffer.from(KEY.header, 'base64url').toString()) as object
  for (const more of [
    { jwk },
    { jku: 'http://127.0.0.1/' },
    { x5u: 'http://127.0.0.1/' },
    { kid: '../key' },
  ]) {
    assert.ok(!verifies(forge(PAYLOAD, encode({ ...header, ...more }), stranger.privateKey)))
  }
  assert.ok(!verifies(forge(PAYLOAD, KEY.header, stranger.privateKey)))
})

test('ASVS 9.2: a token of another type, audience or issuer is rejected', () => {
  const header = JSON.parse(Buffer.from(KEY.header, 'base64url').toString()) as object
  for (const typ of ['JWT', 'at+jwt', undefined]) {
    assert.ok(!verifies(forge(PAYLOAD, encode({ ...header, typ }))))
  }
  for (const aud of ['/other/v1', '', ['/compat/v1'], undefined, null]) {
    assert.ok(!verifies(forge({ ...PAYLOAD, aud })))
  }
  for (const iss of ['other', '', undefined]) assert.ok(!verifies(forge({ ...PAYLOAD, iss })))
})

test('ASVS 9.2: times are required and must be numbers', () => {
  for (const exp of [undefined, null, '9999999999', Number.NaN, NOW, NOW - 1]) {
    assert.ok(!verifies(forge({ ...PAYLOAD, exp })), String(exp))
  }
  for (const iat of [undefined, null, String(NOW)]) assert.ok(!verifies(forge({ ...PAYLOAD, iat })))
})

test('a signed token without account, organization, project or id is rejected', () => {
  for (const claim of ['sub', 'organization', 'project', 'jti']) {
    assert.ok(!verifies(forge({ ...PAYLOAD, [claim]: undefined })), claim)
    assert.ok(!verifies(forge({ ...PAYLOAD, [claim]: 7 })), claim)
  }
})

test('a signed token whose payload is not a JSON object is rejected', () => {
  for (const payload of ['', 'bm90IGpzb24', encode(null), encode('text'), encode([])]) {
    assert.ok(!verifies(forge(payload)), payload)
  }
})

test('a change of any one character makes it invalid', () => {
  const text = issuePlaygroundCredential(CLAIMS, REALM, KEY, NOW_MS)
  for (let at = 0; at < text.length; at += 1) {
    for (const character of ['A', 'B', '.', '_', '=']) {
      if (text[at] === character) continue
      assert.ok(!verifies(`${text.slice(0, at)}${character}${text.slice(at + 1)}`), String(at))
    }
  }
  for (const around of [` ${text}`, `${text} `, `${text}=`, `${text}.`, text.slice(0, -1)]) {
    assert.ok(!verifies(around))
  }
})

test('an oversized text is rejected, signed or not', () => {
  assert.ok(!verifies(forge({ ...PAYLOAD, more: 'x'.repeat(1024) })))
  assert.ok(!verifies(`${LEAD}${'a.'.repeat(1_000_000)}`))
})

test('property: no other text is valid, and verification never throws', () => {
  const anything = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.string({ maxLength: 60 }).map((rest) => `${LEAD}${rest}`),
    fc.string({ maxLength: 60 }).map((rest) => `${LEAD}${KEY.header}.${rest}.${rest}`),
  )
  fc.assert(
    fc.property(anything, (text) => !verifies(text)),
    { numRuns: 5000 },
  )
})

test('a rotated key is accepted until it is dropped', () => {
  const next = createSigningKey(randomBytes(32).toString('base64url'))
  const old = issuePlaygroundCredential(CLAIMS, REALM, KEY, NOW_MS)
  assert.ok(verifies(old, [next, KEY]))
  assert.ok(!verifies(old, [next]))
  assert.ok(verifies(issuePlaygroundCredential(CLAIMS, REALM, next, NOW_MS), [next, KEY]))
})

test('the key is derived from the secret alone, and is not the secret', () => {
  const secret = randomBytes(32)
  const twice = [0, 1].map(() => createSigningKey(secret.toString('base64url')))
  assert.equal(twice[0]?.header, twice[1]?.header)
  const der = twice[0]?.privateKey.export({ format: 'der', type: 'pkcs8' })
  assert.ok(der !== undefined && !der.includes(secret))
  assert.throws(() => createSigningKey(randomBytes(31).toString('base64url')), TypeError)
})
