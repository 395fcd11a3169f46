import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../contract/error.ts'
import { ACCOUNT_STATES, type Identity } from './identity.ts'
import type { CredentialKind, Plan, Plans } from './plan.ts'
import { mayUse } from './caller.ts'
import { checkStanding } from './standing.ts'

const NOW_MS = Date.parse('2026-05-01T12:00:00Z')
const LIMITS = { requestsPerMinute: 1, requestsPerDay: 2, tokensPerMinute: 3, tokensPerDay: 4 }
const NO_OVERRIDES = {
  requestsPerMinute: null,
  requestsPerDay: null,
  tokensPerMinute: null,
  tokensPerDay: null,
}
const BOTH = new Set<CredentialKind>(['api_key', 'playground'])
const PRICES = new Map([['a/b', { input: 1, cachedInput: 1, output: 2 }]])
const OTHERS = {
  concurrency: { organization: 9, key: null, models: new Map() },
  weight: 2,
  priority: 'interactive',
} as const
const ALL: Plan = {
  name: 'all',
  limits: LIMITS,
  ...OTHERS,
  models: 'all',
  credentials: BOTH,
  ignoredParameters: [],
  billing: 'prepaid',
  prices: PRICES,
}
const PLANS: Plans = new Map([
  ['all', ALL],
  ['keys', { ...ALL, name: 'keys', credentials: new Set(['api_key']) }],
  ['play', { ...ALL, name: 'play', credentials: new Set(['playground']) }],
])
const LEDGER = { granted: 20, spent: 10, creditLimit: null, receivable: 0 }
const SETTINGS = { plans: PLANS, keepsContent: true }

type Parts = {
  kind: CredentialKind
  ignored: string[]
  expiresAt: Date | null
  revokedAt: Date | null
  archived: boolean
  suspended: boolean
  plan: string
  account: Identity['account']
  membership: Identity['membership']
}

const GOOD: Parts = {
  kind: 'api_key',
  ignored: [],
  expiresAt: null,
  revokedAt: null,
  archived: false,
  suspended: false,
  plan: 'all',
  account: { id: 'account', state: 'active', registered: true },
  membership: { role: 'member', state: 'active' },
}

function identity(parts: Partial<Parts>): Identity {
  const { kind, expiresAt, revokedAt, archived, suspended, plan, account, membership, ignored } = {
    ...GOOD,
    ...parts,
  }
  const own = { revokedAt, models: null, ignoredParameters: ignored, limits: null }
  return {
    credential:
      kind === 'api_key'
        ? { kind, id: 'credential', expiresAt, ...own }
        : { kind, id: 'credential', expiresAt: expiresAt ?? new Date(NOW_MS + 1000) },
    project: { id: 'project', archived, spendingLimit: 30, spent: 3 },
    organization: {
      id: 'organization',
      plan,
      limitOverrides: NO_OVERRIDES,
      retention: 'standard',
      terms: null,
      billingState: 'ok',
      overdueMonth: null,
      suspended,
      allowedNetworks: null,
      version: 7,
      ...LEDGER,
    },
    account,
    membership,
  }
}

function resultOf(parts: Partial<Parts>): string {
  try {
    checkStanding(identity(parts), SETTINGS, NOW_MS)
    return 'ok'
  } catch (error) {
    assert.ok(error instanceof ApiError)
    return `${error.status} ${error.kind}`
  }
}

test('a credential in good standing becomes a caller', () => {
  assert.deepEqual(checkStanding(identity({}), SETTINGS, NOW_MS), {
    organizationId: 'organization',
    projectId: 'project',
    accountId: 'account',
    credentialKind: 'api_key',
    credentialId: 'credential',
    retention: 'standard',
    terms: null,
    plan: 'all',
    models: 'all',
    keyModels: null,
    ignoredParameters: [],
    limits: LIMITS,
    ...OTHERS,
    funds: { billing: 'prepaid', granted: 20, spent: 10, spendingLimit: 30, projectSpent: 3 },
    keyLimits: null,
    prices: PRICES,
    version: 7,
  })
  assert.equal(
    checkStanding(identity({ kind: 'playground' }), SETTINGS, NOW_MS).credentialKind,
    'playground',
  )
})

test('a caller may send what the plan ignores and what the key ignores, each named once', () => {
  const ignoring: Plan = { ...ALL, ignoredParameters: ['user', 'metadata'] }
  const settings = { ...SETTINGS, plans: new Map([...PLANS, ['ignoring', ignoring]]) }
  const ignoredBy = (parts: Partial<Parts>) =>
    checkStanding(identity(parts), settings, NOW_MS).ignoredParameters
  const ignored = ['prompt_cache_key', 'metadata', 'not known any more']
  assert.deepEqual(ignoredBy({}), [])
  assert.deepEqual(ignoredBy({ ignored }), ['metadata', 'prompt_cache_key'])
  assert.deepEqual(ignoredBy({ plan: 'ignoring' }), ['user', 'metadata'])
  const both = ['user', 'metadata', 'prompt_cache_key']
  assert.deepEqual(ignoredBy({ plan: 'ignoring', ignored }), both)
  // A playground credential has no settings of its own.
  assert.deepEqual(ignoredBy({ plan: 'ignoring', kind: 'playground' }), ['user', 'metadata'])
})

test('without an encryption key, the retention is zero whatever the organization chose', () => {
  const settings = { ...SETTINGS, keepsContent: false }
  assert.equal(checkStanding(identity({}), settings, NOW_MS).retention, 'zero')
})

test('401: unknown, revoked, expired and archived have the same message', () => {
  const invalid = [
    undefined,
    identity({ revokedAt: new Date(NOW_MS - 1) }),
    // A revocation applies whatever this server's clock says.
    identity({ revokedAt: new Date(NOW_MS + 60_000) }),
    identity({ expiresAt: new Date(NOW_MS) }),
    identity({ kind: 'playground', expiresAt: new Date(NOW_MS) }),
    identity({ archived: true }),
    identity({ kind: 'playground', account: null }),
  ]
  const messages = invalid.map((each) => {
    try {
      checkStanding(each, SETTINGS, NOW_MS)
    } catch (error) {
      assert.ok(error instanceof ApiError)
      assert.equal(error.kind, 'invalid_api_key')
      return error.message
    }
    throw new assert.AssertionError({ message: 'the credential was accepted' })
  })
  assert.equal(new Set(messages).size, 1)
  assert.equal(resultOf({ expiresAt: new Date(NOW_MS + 1) }), 'ok')
})

test('403: each reason has its code', () => {
  const account = { id: 'account', state: 'active', registered: true } as const
  const refused = [
    [{ account: { ...account, state: 'restricted' } }, '403 account_restricted'],
    [{ account: { ...account, state: 'waiting' } }, '403 platform_access_required'],
    [{ kind: 'playground', account: { ...account, registered: false } }, '403 onboarding_pending'],
    [{ membership: null }, '403 organization_membership_required'],
    [{ membership: { role: 'owner', state: 'removed' } }, '403 organization_membership_required'],
    [{ membership: { role: 'viewer', state: 'active' } }, '403 organization_membership_required'],
    [
      { kind: 'playground', membership: { role: 'viewer', state: 'active' } },
      '403 organization_membership_required',
    ],
    [{ suspended: true }, '403 organization_suspended'],
    [{ plan: 'gone' }, '403 plan_access_denied'],
    [{ plan: 'play' }, '403 plan_access_denied'],
    [{ kind: 'playground', plan: 'keys' }, '403 plan_access_denied'],
  ] as const
  for (const [parts, expected] of refused) assert.equal(resultOf(parts), expected)
})

test('an incomplete registration does not affect an API key', () => {
  assert.equal(resultOf({ account: { id: 'account', state: 'active', registered: false } }), 'ok')
})

test('a key without an account depends on its organization alone', () => {
  const own = { account: null, membership: null }
  assert.equal(resultOf(own), 'ok')
  assert.equal(resultOf({ ...own, revokedAt: new Date(0) }), '401 invalid_api_key')
  assert.equal(resultOf({ ...own, plan: 'play' }), '403 plan_access_denied')
})

test('every combination of facts gets the first error in the documented order', () => {
  const combinations = product({
    kind: ['api_key', 'playground'],
    archived: [false, true],
    expired: [false, true],
    state: ACCOUNT_STATES,
    registered: [false, true],
    membership: ['active', 'removed', 'none'],
    suspended: [false, true],
    plan: ['all', 'keys', 'play', 'gone'],
  })
  assert.equal(combinations.length, 2 * 2 * 2 * 3 * 2 * 3 * 2 * 4)
  for (const facts of combinations) {
    const { kind, archived, expired, state, registered, membership, suspended, plan } = facts
    const included = plan === 'all' || plan === (kind === 'api_key' ? 'keys' : 'play')
    const errors = [
      (archived || expired) && '401 invalid_api_key',
      state === 'restricted' && '403 account_restricted',
      state === 'waiting' && '403 platform_access_required',
      kind === 'playground' && !registered && '403 onboarding_pending',
      membership !== 'active' && '403 organization_membership_required',
      suspended && '403 organization_suspended',
      !included && '403 plan_access_denied',
    ]
    const actual = resultOf({
      kind,
      archived,
      expiresAt: new Date(NOW_MS + (expired ? -1 : 1)),
      account: { id: 'account', state, registered },
      membership: membership === 'none' ? null : { role: 'member', state: membership },
      suspended,
      plan,
    })
    assert.equal(actual, errors.find((error) => error !== false) ?? 'ok', JSON.stringify(facts))
  }
})

/** All combinations of one value from each list. */
function product<const Lists extends Record<string, readonly unknown[]>>(
  lists: Lists,
): { [Name in keyof Lists]: Lists[Name][number] }[] {
  const none: Record<string, unknown>[] = [{}]
  return Object.entries(lists).reduce(
    (combinations, [name, values]) =>
      combinations.flatMap((each) => values.map((value) => ({ ...each, [name]: value }))),
    none,
  ) as { [Name in keyof Lists]: Lists[Name][number] }[]
}

test('each limit of the organization overrides that of the plan, zero included', () => {
  const base = identity({})
  const caller = checkStanding(
    {
      ...base,
      organization: {
        ...base.organization,
        limitOverrides: { ...NO_OVERRIDES, requestsPerDay: 0, tokensPerDay: 99 },
      },
    },
    SETTINGS,
    NOW_MS,
  )
  assert.deepEqual(caller.limits, { ...LIMITS, requestsPerDay: 0, tokensPerDay: 99 })
})

test('a caller may use the models that both its plan and its key allow', () => {
  const caller = checkStanding(identity({}), SETTINGS, NOW_MS)
  const [a, b] = [new Set(['a']), new Set(['a', 'b'])]
  const may = (models: 'all' | ReadonlySet<string>, keyModels: ReadonlySet<string> | null) =>
    ['a', 'b'].filter((model) => mayUse({ ...caller, models, keyModels }, model))
  assert.deepEqual(may('all', null), ['a', 'b'])
  assert.deepEqual(may('all', a), ['a'])
  assert.deepEqual(may(a, b), ['a'])
  assert.deepEqual(may(b, a), ['a'])
  assert.deepEqual(may(a, new Set(['b'])), [])
})
