import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTotpSecret, encodeBase32, findTotpStep, totpCode, totpUri } from './totp.ts'

const RFC_SECRET = Buffer.from('12345678901234567890')
const STEP_MS = 30_000

/** RFC 6238, appendix B, for SHA-1: seconds → code of 8 digits, whose last 6 are ours. */
const RFC_6238: readonly (readonly [number, string])[] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
]

/** RFC 4226, appendix D: the codes of the counters 0 to 9. */
const RFC_4226 = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'

test('codes are those of RFC 6238 and RFC 4226', () => {
  for (const [seconds, code] of RFC_6238)
    assert.equal(totpCode(RFC_SECRET, Math.floor(seconds / 30)), code.slice(2))
  const codes = Array.from({ length: 10 }, (_, counter) => totpCode(RFC_SECRET, counter))
  assert.equal(codes.join(' '), RFC_4226)
})

test('base32 is that of RFC 4648', () => {
  const vectors = { f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', foobar: 'MZXW6YTBOI' }
  for (const [text, encoded] of Object.entries(vectors))
    assert.equal(encodeBase32(Buffer.from(text)), encoded)
})

test('the codes of the current step and of one before and after are accepted, no other', () => {
  const secret = createTotpSecret()
  const step = 60_000_000
  for (const nowMs of [step * STEP_MS, step * STEP_MS + STEP_MS - 1]) {
    for (const offset of [-3, -2, -1, 0, 1, 2, 3]) {
      const found = findTotpStep(secret, totpCode(secret, step + offset), nowMs, 0)
      assert.equal(found, Math.abs(offset) <= 1 ? step + offset : undefined)
    }
  }
})

test('a code works once: neither its step nor an earlier one is accepted again', () => {
  const secret = createTotpSecret()
  const step = 60_000_000
  const nowMs = step * STEP_MS
  assert.equal(findTotpStep(secret, totpCode(secret, step), nowMs, step - 1), step)
  assert.equal(findTotpStep(secret, totpCode(secret, step), nowMs, step), undefined)
  assert.equal(findTotpStep(secret, totpCode(secret, step - 1), nowMs, step), undefined)
  assert.equal(findTotpStep(secret, totpCode(secret, step + 1), nowMs, step), step + 1)
})

test('texts of another form are not codes', () => {
  const secret = createTotpSecret()
  const code = totpCode(secret, 1)
  for (const text of ['', code.slice(1), `${code} `, `0${code}`, '１２３４５６', '-12345'])
    assert.equal(findTotpStep(secret, text, STEP_MS, 0), undefined)
})

test('the address for an authenticator app names issuer and account, escaped', () => {
  assert.equal(
    totpUri(RFC_SECRET, 'My Service', 'ann@example.com'),
    'otpauth://totp/My%20Service:ann%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' +
      '&issuer=My%20Service&algorithm=SHA1&digits=6&period=30',
  )
})
