import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalOf, type Consent, type Refusal } from './contribution.ts'

const TERMS = { version: '2026-01', acceptedAt: new Date('2026-01-05T10:00:00Z'), acceptedBy: 'a' }
const RECORD = { requestedAtMs: Date.parse('2026-01-05T10:00:01Z'), terms: TERMS }
const CONSENT: Consent = { retention: 'contributor', terms: TERMS }
const LATER = { ...TERMS, acceptedAt: new Date('2026-02-01T00:00:00Z') }

type Case = readonly [string, Parameters<typeof refusalOf>, Refusal | undefined]

const CASES: readonly Case[] = [
  ['the acceptance at the request is still in force', [RECORD, CONSENT], undefined],
  ['an equal acceptance, read again', [RECORD, structuredClone(CONSENT)], undefined],
  ['a record without consent', [{ ...RECORD, terms: null }, CONSENT], 'no_consent'],
  [
    'a request from before the acceptance',
    [{ ...RECORD, requestedAtMs: TERMS.acceptedAt.getTime() - 1 }, CONSENT],
    'consent_later_than_request',
  ],
  ['an organization that withdrew', [RECORD, { retention: 'zero', terms: null }], 'withdrawn'],
  ['one that changed to standard', [RECORD, { ...CONSENT, retention: 'standard' }], 'withdrawn'],
  ['a contributor without terms', [RECORD, { ...CONSENT, terms: null }], 'withdrawn'],
  ['other terms', [RECORD, { ...CONSENT, terms: { ...TERMS, version: '2026-02' } }], 'other_terms'],
  [
    'one that withdrew and accepted again',
    [RECORD, { ...CONSENT, terms: LATER }],
    'other_acceptance',
  ],
  [
    'an acceptance by someone else',
    [RECORD, { ...CONSENT, terms: { ...TERMS, acceptedBy: 'b' } }],
    'other_acceptance',
  ],
]

for (const [name, args, refusal] of CASES)
  test(`contribution ${refusal ?? 'exported'}: ${name}`, () => {
    assert.equal(refusalOf(...args), refusal)
  })
