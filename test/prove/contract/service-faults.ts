import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { expectError, requestWith, type Rule } from './rule.ts'

/** Nothing listens on it, and a connection to it is refused at once. */
const DEAD_PORT = 9

const PREFLIGHT = {
  origin: 'https://app.example.com',
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization, content-type, x-stainless-lang',
}

const CORS: readonly Rule[] = [
  {
    id: 'cors/preflight',
    name: 'a preflight needs no credential, allows what was asked and carries no id',
    async check({ service }) {
      const address = `${service.apiRoot}/chat/completions`
      const answer = await fetch(address, { method: 'OPTIONS', headers: PREFLIGHT })
      assert.equal(answer.status, 204)
      const { headers } = answer
      assert.equal(headers.get('x-request-id'), null)
      assert.equal(headers.get('x-server-request-id'), null)
      assert.equal(headers.get('access-control-allow-origin'), '*')
      assert.match(headers.get('access-control-allow-methods') ?? '', /POST/)
      assert.match(headers.get('access-control-allow-headers') ?? '', /authorization/)
      assert.match(headers.get('access-control-allow-headers') ?? '', /x-stainless-lang/)
    },
  },
  {
    id: 'cors/exposed',
    name: 'a page may read the headers of the interface, on errors too',
    async check({ client }) {
      const headers = { origin: PREFLIGHT.origin }
      for (const change of [{}, { temperature: 9 }]) {
        const answer = await client.chat(requestWith(change), { headers })
        assert.equal(answer.headers['access-control-allow-origin'], '*')
        const exposed = (answer.headers['access-control-expose-headers'] ?? '').split(', ')
        for (const name of ['x-request-id', 'service-data-retention', 'retry-after'])
          assert.ok(exposed.includes(name), name)
        assert.equal(exposed.filter((name) => name.startsWith('x-ratelimit-')).length, 12)
      }
    },
  },
  {
    id: 'cors/listed',
    name: 'with a list of origins only those are allowed',
    async check({ withOther }) {
      const origins = [PREFLIGHT.origin]
      await withOther(
        (config) => ({ ...config, api: { ...config.api, cors_origins: origins } }),
        async (client) => {
          const allowed = await client.get('/models', { headers: { origin: PREFLIGHT.origin } })
          assert.equal(allowed.headers['access-control-allow-origin'], PREFLIGHT.origin)
          const other = await client.get('/models', { headers: { origin: 'https://evil.example' } })
          assert.equal(other.headers['access-control-allow-origin'], undefined)
        },
      )
    },
  },
  {
    id: 'id/not-clients',
    name: 'an x-request-id of the client is not reused',
    async check({ client }) {
      const mine = '01890000-0000-7000-8000-000000000000'
      const { headers } = await client.get('/models', { headers: { 'x-request-id': mine } })
      assert.notEqual(headers['x-request-id'], mine)
    },
  },
]

/** A dependency that is away, and what callers are told meanwhile. */
const AWAY: readonly Rule[] = [
  {
    id: '503/limits-away',
    name: 'without the limits every operation is rate_limit_unavailable, with Retry-After',
    async check({ withOther }) {
      const valkey_urls = [`redis://127.0.0.1:${DEAD_PORT}`]
      await withOther(
        (config) => ({ ...config, valkey_urls }),
        async (client) => {
          const answers = await Promise.all([client.chat(requestWith({})), client.get('/models')])
          for (const answer of answers) {
            expectError(answer, 'rate_limit_unavailable', null)
            assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/)
          }
        },
      )
    },
  },
  {
    id: '503/accounts-away',
    name: 'an unknown caller while the accounts are away is service_unavailable, never 401',
    async check({ withOther }) {
      const database_url = `postgres://nobody@127.0.0.1:${DEAD_PORT}/nothing`
      await withOther(
        (config) => ({ ...config, database_url }),
        async (client) => {
          const answer = await client.chat(requestWith({}))
          expectError(answer, 'service_unavailable', null)
          assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/)
          assert.equal(answer.headers['service-data-retention'], 'zero')
        },
      )
    },
  },
  {
    id: '500/our-own-fault',
    name: 'a fault of our own is internal_error and shows no detail',
    async check({ withOther }) {
      await withOther(
        (config) => config,
        async (client, service) => {
          await sql`alter table api_keys rename to api_keys_gone`.execute(service.postgres.database)
          const answer = await client.chat(requestWith({}))
          expectError(answer, 'internal_error', null)
          assert.doesNotMatch(answer.text, /api_keys|relation|pg/)
        },
      )
    },
  },
  {
    id: '503/model-availability',
    name: 'an availability check that is away is model_availability_unavailable',
    pending: 'fleet',
  },
]

export const SERVICE_FAULTS: readonly Rule[] = [...CORS, ...AWAY]
