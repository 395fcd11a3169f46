import assert from 'node:assert/strict'
import { crc32 } from 'node:zlib'
import { ApiError } from '../../../src/contract/error.ts'
import { identify, type Accounts } from '../../../src/inference/identify.ts'
import type { Call } from '../../../src/http/call.ts'
import { readCredential, type Credential } from '../../../src/tenancy/credential.ts'
import {
  createSigningKey,
  issuePlaygroundCredential,
  type PlaygroundRealm,
} from '../../../src/tenancy/playground-credential.ts'
import { checkStanding } from '../../../src/tenancy/standing.ts'
import type { FuzzTarget } from '../target.ts'

const NOW_MS = Date.UTC(2026, 0, 1)
const REALM: PlaygroundRealm = { prefix: 'hr', issuer: 'hr', audience: '/compat/v1' }
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CHECKSUM_LENGTH = 6
const LIFE_MS = 60_000

const own = createSigningKey(Buffer.alloc(32, 1).toString('base64url'))
const foreign = createSigningKey(Buffer.alloc(32, 2).toString('base64url'))
const claims = (id: string, lifeMs = LIFE_MS) => ({
  id,
  organizationId: 'o',
  projectId: 'p',
  accountId: 'a',
  expiresAt: new Date(NOW_MS + lifeMs),
})
const valid = ['1', '2'].map((id) => issuePlaygroundCredential(claims(id), REALM, own, NOW_MS))
const OLD_MS = NOW_MS - 2 * LIFE_MS
const invalid = [
  issuePlaygroundCredential(claims('1'), REALM, foreign, NOW_MS),
  issuePlaygroundCredential(claims('1'), { ...REALM, audience: '/other' }, own, NOW_MS),
  issuePlaygroundCredential(claims('1', -LIFE_MS), REALM, own, OLD_MS),
]
const key = withChecksum(`hr_sk_${ALPHABET.slice(0, 43)}`)

/** Authorization headers: nothing verifies but what was issued, and errors are 401. */
export const credentialTarget: FuzzTarget = {
  seeds: [...valid, ...invalid, key, key.slice(0, -1), 'x'].flatMap((token) => [
    Buffer.from(`Bearer ${token}`),
    Buffer.from(`bearer   ${token}`),
  ]),
  dictionary: [
    'Bearer ',
    'Basic ',
    'hr_pg_',
    'hr_sk_',
    '.',
    '..',
    '=',
    '+',
    '/',
    '-',
    '_',
    ' ',
    '\t',
    own.header,
    foreign.header,
    Buffer.from('{"alg":"none"}').toString('base64url'),
    'eyJ',
    'é',
    '\0',
  ],
  lengthMax: 2_048,
  ciExecutions: 400_000,
  async check(input) {
    const header = input.toString('latin1')
    const accepted: Credential[] = []
    const error = await identifyWith(header, accepted).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    assert.ok(error instanceof ApiError, `threw ${String(error)}`)
    assert.ok(['missing_api_key', 'invalid_api_key'].includes(error.kind), error.kind)
    const token = header.replace(/^bearer +/i, '')
    for (const credential of accepted) {
      if (credential.kind === 'playground') assert.ok(valid.includes(token), 'accepted a forgery')
      else assert.ok(isApiKey(token) && credential.key === token, 'accepted what is not a key')
    }
    const isValid = header !== token && (valid.includes(token) || isApiKey(token))
    assert.equal(accepted.length, isValid ? 1 : 0, 'rejected a valid credential')
  },
}

/** Stores know no credential, so the answer is always 401; what is looked up was verified. */
async function identifyWith(header: string, accepted: Credential[]): Promise<unknown> {
  const accounts: Accounts = {
    read: (token) => readCredential(token, REALM, [own], NOW_MS),
    async find(credential) {
      accepted.push(credential)
      return { identity: undefined, fresh: true }
    },
    check: (identity) => checkStanding(identity, { plans: new Map(), keepsContent: false }, NOW_MS),
    restoreVersion() {},
    findNewerVersion: async () => undefined,
    retentionHeader: 'x-retention',
    keepsContent: false,
  }
  const call = { request: { headers: { authorization: header } }, headers: {} } as unknown as Call
  return identify(call, 'other', accounts)
}

function isApiKey(text: string): boolean {
  return (
    /^hr_sk_[0-9A-Za-z]{49}$/.test(text) && text === withChecksum(text.slice(0, -CHECKSUM_LENGTH))
  )
}

function withChecksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit += 1) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text
    rest = Math.floor(rest / ALPHABET.length)
  }
  return body + text
}
