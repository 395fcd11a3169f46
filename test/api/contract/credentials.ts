import assert from 'node:assert/strict'
import { findApiKey, revokeApiKey } from '../../../src/store/tenants/api-keys.ts'
import { listApiKeys } from '../../../src/store/tenants/list-api-keys.ts'
import { changeMember } from '../../../src/store/tenants/memberships.ts'
import { createApiKey } from '../../../src/tenancy/api-key.ts'
import type { Answer } from '../client.ts'
import { expectAccepted, expectError, type Rule, rules } from './rule.ts'
import type { ContractApi, NewMember } from './start.ts'

const WELL_FORMED = createApiKey('headrace')

/** A request with exactly this Authorization header. */
async function chatAs(api: ContractApi, authorization: string | undefined): Promise<Answer> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
  return api.chat({}, { key: undefined, headers })
}

const STRANGERS = [
  ['absent', undefined, 'missing_api_key'],
  ['empty', '', 'missing_api_key'],
  ['the word Bearer alone', 'Bearer', 'missing_api_key'],
  ['Bearer and a space', 'Bearer  ', 'missing_api_key'],
  ['of the scheme Basic', 'Basic dXNlcjpwYXNz', 'missing_api_key'],
  ['a bare key', WELL_FORMED, 'missing_api_key'],
  ['an unknown key of our form', `Bearer ${WELL_FORMED}`, 'invalid_api_key'],
  ['a key of no known form', 'Bearer sk-1234', 'invalid_api_key'],
  ['a forged playground credential', 'Bearer headrace_pg_a.b.c', 'invalid_api_key'],
] as const

const UNAUTHENTICATED: readonly Rule[] = [
  ...STRANGERS.map(([id, authorization, code]): Rule => ({
    id: `401/${id}`,
    name: `an Authorization header that is ${id} gives ${code}, and no header but the id`,
    async check(api) {
      const answer = await chatAs(api, authorization)
      expectError(answer, code, null)
      const ours = Object.keys(answer.headers).filter((name) => /^x-|retention/.test(name))
      assert.deepEqual(ours, ['x-request-id'])
    },
  })),
  ...rules('401', {
    'every-path: without a credential every path below the API root is 401': async (api) => {
      const key = undefined
      const texts = new Set<string>()
      for (const path of ['', '/models', '/models/headrace/pebble', '/embeddings', '/', '/chat']) {
        const answer = await api.get(path, { key })
        expectError(answer, 'missing_api_key', null)
        texts.add(answer.text)
      }
      assert.equal(texts.size, 1, 'an existing path looks like any other')
      for (const method of ['DELETE', 'PUT', 'OPTIONS'])
        expectError(await api.get('/models', { key, method }), 'missing_api_key', null)
    },
    'before-body: without a credential nothing of the body matters': async (api) => {
      const answer = await api.chat({}, { key: undefined, body: '{"cut' })
      expectError(answer, 'missing_api_key', null)
    },
    'elsewhere: a key in the query or in another header is none': async (api) => {
      const { key } = api
      const headers = { 'x-api-key': key, 'api-key': key }
      const path = `/models?api_key=${key}&key=${key}`
      expectError(await api.get(path, { key: undefined, headers }), 'missing_api_key', null)
    },
    'revoked: a revoked key gives invalid_api_key': async ({ service, chat }) => {
      const { organizationId, key } = await service.createCaller()
      const { database } = service.postgres
      const [stored] = await listApiKeys(database, { organizationId }, { limit: 1 })
      assert.ok(stored)
      await revokeApiKey(database, await findApiKey(database, stored.id))
      expectError(await chat({}, { key }), 'invalid_api_key', null)
    },
    'same-words: an unknown key and one of no known form get the same words': async (api) => {
      const unknown = await chatAs(api, `Bearer ${WELL_FORMED}`)
      assert.equal((await chatAs(api, 'Bearer nonsense')).text, unknown.text)
    },
    'scheme-case: the scheme may be written in any case': async (api) => {
      const key = await api.openOrganization('ample')
      expectAccepted(await chatAs(api, `bearer ${key}`))
    },
  }),
]

/** A member, one of its credentials, and the code that it gets unless it is accepted. */
const MEMBERS: readonly (readonly [string, NewMember, 'apiKey' | 'playground', string?])[] = [
  ['a member with an API key', {}, 'apiKey'],
  ['a member with a playground credential', {}, 'playground'],
  ...(['apiKey', 'playground'] as const).flatMap(
    (credential) =>
      [
        [
          `a restricted account with ${credential}`,
          { state: 'restricted' },
          credential,
          'account_restricted',
        ],
        [
          `a waiting account with ${credential}`,
          { state: 'waiting' },
          credential,
          'platform_access_required',
        ],
      ] as const,
  ),
  [
    'an unfinished registration in the playground',
    { registered: false },
    'playground',
    'onboarding_pending',
  ],
  ['an unfinished registration with an API key', { registered: false }, 'apiKey'],
  [
    'an account that never joined',
    { joined: false },
    'playground',
    'organization_membership_required',
  ],
  ['a plan without the playground', { plan: 'keys-only' }, 'playground', 'plan_access_denied'],
  ['a plan without API keys', { plan: 'playground-only' }, 'apiKey', 'plan_access_denied'],
  ['a plan that is offered no more', { plan: 'gone' }, 'apiKey', 'plan_access_denied'],
]

const FORBIDDEN: readonly Rule[] = [
  ...MEMBERS.map(([id, member, credential, code]): Rule => ({
    id: `403/${id}`,
    name: `${id} gives ${code ?? 'access'}`,
    async check(api) {
      const key = (await api.openMember(member))[credential]
      for (const answer of [await api.chat({}, { key }), await api.get('/models', { key })]) {
        if (code === undefined) expectAccepted(answer)
        else expectError(answer, code, null)
      }
    },
  })),
  ...rules('403', {
    'every-path: a plan without API keys refuses them on unknown paths too': async (api) => {
      const { apiKey: key } = await api.openMember({ plan: 'playground-only' })
      expectError(await api.get('/nothing', { key }), 'plan_access_denied', null)
    },
    'before-402: what a caller may not do comes before what was not paid': async (api) => {
      const key = await api.openOrganization('playground-only', { billingState: 'exhausted' })
      expectError(await api.chat({}, { key }), 'plan_access_denied', null)
    },
    'removed: a removed member gets organization_membership_required': async (api) => {
      const member = await api.openMember()
      await changeMember(api.service.postgres.database, member, { state: 'removed' })
      const answer = await api.chat({}, { key: member.apiKey })
      expectError(answer, 'organization_membership_required', null)
    },
  }),
]

const BILLING: readonly Rule[] = (
  [
    ['402', 'exhausted', 'insufficient_balance'],
    ['409', 'conflict', 'billing_conflict'],
  ] as const
).flatMap(([status, billingState, code]) =>
  rules(status, {
    [`chat: billing that is in ${billingState} gives ${code}, final`]: async (api) => {
      const key = await api.openOrganization('ample', { billingState })
      const answer = await api.chat({}, { key })
      expectError(answer, code, null)
      assert.equal(answer.headers['x-should-retry'], 'false')
    },
    [`models: billing that is in ${billingState} does not hide the models`]: async (api) => {
      const key = await api.openOrganization('ample', { billingState })
      expectAccepted(await api.get('/models', { key }))
    },
    [`before-body: ${billingState} is reported before the body is checked`]: async (api) => {
      const key = await api.openOrganization('ample', { billingState })
      expectError(await api.client.chat({}, { key }), code, null)
    },
  }),
)

const RETENTION: readonly Rule[] = [
  ...(['zero', 'standard'] as const).flatMap((retention) =>
    rules('retention', {
      [`${retention}: the retention ${retention} is on answers and errors`]: async (api) => {
        const key = await api.openOrganization('ample', { retention })
        const answers = [
          await api.chat({}, { key }),
          await api.chat({ stream: true }, { key }),
          await api.client.chat({}, { key }),
          await api.get('/models', { key }),
          await api.get('/nothing', { key }),
        ]
        for (const { headers } of answers)
          assert.equal(headers['service-data-retention'], retention)
      },
    }),
  ),
  ...rules('retention', {
    'contributor: contributor is reported once the terms were accepted': async (api) => {
      const { accountId } = await api.openMember()
      const terms = { version: '1', acceptedByAccountId: accountId }
      const key = await api.openOrganization('ample', { retention: 'contributor', terms })
      const { headers } = await api.get('/models', { key })
      assert.equal(headers['service-data-retention'], 'contributor')
    },
  }),
]

export const CREDENTIALS: readonly Rule[] = [
  ...UNAUTHENTICATED,
  ...FORBIDDEN,
  ...BILLING,
  ...RETENTION,
]
