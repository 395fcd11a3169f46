import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SignInFacts } from '../../../store/sign-in/sign-in-facts.ts'
import type { ConsoleSettings } from '../../use-case/environment.ts'
import { judgeSignIn, sessionLife } from './session-rules.ts'

const FACTS: SignInFacts = {
  platformRole: null,
  hasTotp: false,
  hasPasskey: false,
  isOwner: false,
  organizationRequiresFactor: false,
  sessionHours: null,
}

type Rule = ConsoleSettings['require_second_factor']

function judge(rule: Rule, facts: Partial<SignInFacts>, ...methods: string[]) {
  return judgeSignIn({ require_second_factor: rule }, { ...FACTS, ...facts }, methods)
}

test('a second factor that was set up is always needed after a password', () => {
  for (const rule of ['none', 'operators', 'all'] as const)
    for (const method of ['password', 'link']) {
      assert.equal(judge(rule, { hasTotp: true }, method), 'required')
      assert.equal(judge(rule, { hasTotp: true }, method, 'totp'), 'complete')
      assert.equal(judge(rule, { hasTotp: true }, method, 'recovery_code'), 'complete')
      assert.equal(judge(rule, { hasTotp: true }, method, 'passkey'), 'complete')
    }
})

test('who must have one and has none can only enrol one', () => {
  const operator = { platformRole: 'operator' } as const
  assert.equal(judge('none', operator, 'password'), 'complete')
  assert.equal(judge('operators', operator, 'password'), 'enrol')
  assert.equal(judge('operators', { platformRole: 'support' }, 'password'), 'enrol')
  assert.equal(judge('operators', {}, 'password'), 'complete')
  assert.equal(judge('all', {}, 'password'), 'enrol')
  assert.equal(judge('none', { organizationRequiresFactor: true }, 'password'), 'enrol')
  assert.equal(judge('all', { hasPasskey: true }, 'password'), 'required')
})

test('an identity provider is enough, but not for a role in the whole service', () => {
  assert.equal(judge('all', {}, 'sso:1'), 'complete')
  assert.equal(judge('operators', { platformRole: 'operator' }, 'sso:1'), 'enrol')
  assert.equal(judge('operators', { platformRole: 'operator', hasTotp: true }, 'sso:1'), 'required')
})

test('operators and owners have short sessions, and incomplete ones 15 minutes', () => {
  const settings = { session_hours: 720 } as ConsoleSettings
  const hours = (facts: Partial<SignInFacts>, factor: 'complete' | 'required' = 'complete') => {
    const { endsAt, idleMinutes } = sessionLife(settings, { ...FACTS, ...facts }, factor, 0)
    return [endsAt.getTime() / 3_600_000, idleMinutes]
  }
  assert.deepEqual(hours({}), [720, 10_080])
  assert.deepEqual(hours({ isOwner: true }), [12, 60])
  assert.deepEqual(hours({ platformRole: 'support' }), [12, 60])
  assert.deepEqual(hours({ isOwner: true }, 'required'), [0.25, 15])
})
