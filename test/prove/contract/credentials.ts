import assert from 'node:assert/strict'
import { findApiKey, listApiKeys, revokeApiKey } from '../../../src/store/tenants/api-keys.ts'
import { changeMember } from '../../../src/store/tenants/memberships.ts'
import { createApiKey } from '../../../src/tenancy/api-key.ts'
import type { Answer } from '../../api/client.ts'
import { expectAccepted, expectError, requestWith, type Rule } from './rule.ts'
import type { Member, NewMember, World } from './world.ts'

/** A request with an Authorization header as it stands here. */
async function chatAs(world: World, authorization: string | undefined): Promise<Answer> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
  return world.client.chat(requestWith({}), { key: undefined, headers })
}

function strangerRule(id: string, authorization: string | undefined, code: string): Rule {
  return {
    id: `401/${id}`,
    name: `an Authorization header that is ${id} gives ${code}, and no header but the id`,
    async check(world) {
      const answer = await chatAs(world, authorization)
      expectError(answer, code, null)
      const ours = Object.keys(answer.headers).filter((name) => name.startsWith('x-'))
      assert.deepEqual(ours, ['x-request-id'])
    },
  }
}

const WELL_FORMED = createApiKey('headrace')

const STRANGERS: readonly Rule[] = [
  strangerRule('absent', undefined, 'missing_api_key'),
  strangerRule('empty', '', 'missing_api_key'),
  strangerRule('the word Bearer alone', 'Bearer', 'missing_api_key'),
  strangerRule('Bearer and a space', 'Bearer  ', 'missing_api_key'),
  strangerRule('of the scheme Basic', 'Basic dXNlcjpwYXNz', 'missing_api_key'),
  strangerRule('a bare key', WELL_FORMED, 'missing_api_key'),
  strangerRule('an unknown key of our form', `Bearer ${WELL_FORMED}`, 'invalid_api_key'),
  strangerRule('a key of no known form', 'Bearer sk-1234', 'invalid_api_key'),
  strangerRule('a forged playground credential', 'Bearer headrace_pg_a.b.c', 'invalid_api_key'),
  {
    id: '401/every-path',
    name: 'a stranger learns nothing but 401 from any path below the API root',
    async check({ client }) {
      for (const path of ['/models', '/models/headrace/pebble', '/embeddings', '/', '/chat'])
        expectError(await client.get(path, { key: undefined }), 'missing_api_key', null)
      for (const method of ['DELETE', 'PUT', 'OPTIONS']) {
        const answer = await client.get('/models', { key: undefined, method })
        expectError(answer, 'missing_api_key', null)
      }
    },
  },
  {
    id: '401/revoked',
    name: 'a revoked key gives invalid_api_key',
    async check({ client, service }) {
      const { organizationId, key } = await service.createCaller()
      const { database } = service.postgres
      const [stored] = await listApiKeys(database, { organizationId }, { limit: 1 })
      assert.ok(stored)
      await revokeApiKey(database, await findApiKey(database, stored.id))
      expectError(await client.chat(requestWith({}), { key }), 'invalid_api_key', null)
    },
  },
  {
    id: '401/same-words',
    name: 'an unknown key and one of no known form get the same words',
    async check(world) {
      const unknown = await chatAs(world, `Bearer ${WELL_FORMED}`)
      assert.equal((await chatAs(world, 'Bearer nonsense')).text, unknown.text)
    },
  },
  {
    id: '401/scheme-case',
    name: 'the scheme may be written in any case',
    async check(world) {
      const key = await world.openOrganization('ample')
      expectAccepted(await chatAs(world, `bearer ${key}`))
    },
  },
]

/** A member whose account or plan lacks something, and what each of its credentials is told. */
function memberRule(
  id: string,
  member: NewMember,
  credential: 'apiKey' | 'playground',
  code: string | undefined,
): Rule {
  return {
    id: `403/${id}`,
    name: `${id} gives ${code ?? 'access'}`,
    async check({ client, openMember }) {
      const opened = await openMember(member)
      const key = opened[credential]
      const answers = [
        await client.chat(requestWith({}), { key }),
        await client.get('/models', { key }),
      ]
      for (const answer of answers) {
        if (code === undefined) expectAccepted(answer)
        else expectError(answer, code, null)
      }
    },
  }
}

const MEMBERS: readonly Rule[] = [
  memberRule('a member with an API key', {}, 'apiKey', undefined),
  memberRule('a member with a playground credential', {}, 'playground', undefined),
  ...(['apiKey', 'playground'] as const).flatMap((credential) => [
    memberRule(
      `a restricted account with ${credential}`,
      { account: { state: 'restricted' } },
      credential,
      'account_restricted',
    ),
    memberRule(
      `a waiting account with ${credential}`,
      { account: { state: 'waiting' } },
      credential,
      'platform_access_required',
    ),
  ]),
  memberRule(
    'an unfinished registration in the playground',
    { account: { registered: false } },
    'playground',
    'onboarding_pending',
  ),
  memberRule(
    'an unfinished registration with an API key',
    { account: { registered: false } },
    'apiKey',
    undefined,
  ),
  memberRule(
    'an account that never joined',
    { joined: false },
    'playground',
    'organization_membership_required',
  ),
  memberRule(
    'a plan without the playground',
    { plan: 'keys-only' },
    'playground',
    'plan_access_denied',
  ),
  memberRule(
    'a plan without API keys',
    { plan: 'playground-only' },
    'apiKey',
    'plan_access_denied',
  ),
  memberRule('a plan that is offered no more', { plan: 'gone' }, 'apiKey', 'plan_access_denied'),
  {
    id: '403/removed',
    name: 'a member who was removed gives organization_membership_required',
    async check({ client, openMember, service }) {
      const member: Member = await openMember({})
      await changeMember(service.postgres.database, member, { state: 'removed' })
      const answer = await client.chat(requestWith({}), { key: member.apiKey })
      expectError(answer, 'organization_membership_required', null)
    },
  },
]

function billingRule(status: number, billingState: 'exhausted' | 'conflict', code: string): Rule[] {
  return [
    {
      id: `${status}/chat`,
      name: `billing that is in ${billingState} gives ${code}, which says not to retry`,
      async check({ client, openOrganization }) {
        const key = await openOrganization('ample', { billingState })
        const answer = await client.chat(requestWith({}), { key })
        expectError(answer, code, null)
        assert.equal(answer.headers['x-should-retry'], 'false')
      },
    },
    {
      id: `${status}/models`,
      name: `billing that is in ${billingState} does not hide the models`,
      async check({ client, openOrganization }) {
        const key = await openOrganization('ample', { billingState })
        expectAccepted(await client.get('/models', { key }))
      },
    },
    {
      id: `${status}/before-body`,
      name: `billing that is in ${billingState} is told before the body is judged`,
      async check({ client, openOrganization }) {
        const key = await openOrganization('ample', { billingState })
        expectError(await client.chat({}, { key }), code, null)
      },
    },
  ]
}

const RETENTION: readonly Rule[] = [
  ...(['zero', 'standard'] as const).map((retention): Rule => ({
    id: `retention/${retention}`,
    name: `the retention ${retention} is reported on answers and errors`,
    async check({ client, openOrganization }) {
      const key = await openOrganization('ample', { retention })
      const answers = [
        await client.chat(requestWith({}), { key }),
        await client.chat(requestWith({ stream: true }), { key }),
        await client.chat({}, { key }),
        await client.get('/models', { key }),
        await client.get('/nothing', { key }),
      ]
      for (const { headers } of answers) assert.equal(headers['service-data-retention'], retention)
    },
  })),
  {
    id: 'retention/contributor',
    name: 'the retention contributor is reported once the terms were accepted',
    async check({ client, openMember, openOrganization }) {
      const { accountId } = await openMember({})
      const terms = { version: '1', acceptedByAccountId: accountId }
      const key = await openOrganization('ample', { retention: 'contributor', terms })
      const { headers } = await client.get('/models', { key })
      assert.equal(headers['service-data-retention'], 'contributor')
    },
  },
]

export const CREDENTIALS: readonly Rule[] = [
  ...STRANGERS,
  ...MEMBERS,
  ...billingRule(402, 'exhausted', 'insufficient_balance'),
  ...billingRule(409, 'conflict', 'billing_conflict'),
  ...RETENTION,
]
