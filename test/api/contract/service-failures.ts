import assert from 'node:assert/strict'
import type { Config } from '../../../src/config/load.ts'
import { expectError, expectRetryAfter, type Rule, rules } from './rule.ts'

/** Nothing listens on it, and a connection to it is refused at once. */
const DEAD_PORT = 9

const ORIGIN = 'https://app.example.com'
const PREFLIGHT = {
  origin: ORIGIN,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization, content-type, x-stainless-lang',
}

const CORS: readonly Rule[] = [
  ...rules('cors', {
    'preflight: a preflight needs no credential and carries no id': async ({ service }) => {
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
    'exposed: a page may read the headers of the interface, on errors too': async (api) => {
      for (const change of [{}, { temperature: 9 }]) {
        const { headers } = await api.chat(change, { headers: { origin: ORIGIN } })
        assert.equal(headers['access-control-allow-origin'], '*')
        const exposed = (headers['access-control-expose-headers'] ?? '').split(', ')
        for (const name of ['x-request-id', 'service-data-retention', 'retry-after'])
          assert.ok(exposed.includes(name), name)
        assert.equal(exposed.filter((name) => name.startsWith('x-ratelimit-')).length, 12)
      }
    },
    'listed: with a list of origins only those are allowed': ({ withOther }) =>
      withOther(
        (config) => ({ ...config, api: { ...config.api, cors_origins: [ORIGIN] } }),
        async (other) => {
          for (const [origin, allowed] of [
            [ORIGIN, ORIGIN],
            ['https://evil.example', undefined],
          ] as const) {
            const { headers } = await other.get('/models', { headers: { origin } })
            assert.equal(headers['access-control-allow-origin'], allowed)
          }
        },
      ),
  }),
  ...rules('id', {
    'not-clients: an x-request-id of the client is not reused': async (api) => {
      const mine = '01890000-0000-7000-8000-000000000000'
      const { headers } = await api.get('/models', { headers: { 'x-request-id': mine } })
      assert.notEqual(headers['x-request-id'], mine)
    },
  }),
]

/** As if its source had never been readable. */
function undiscovered({ url: _url, ...engine }: Config['engines'][number]) {
  return { ...engine, discover: { scheme: 'http', file: { path: '/nonexistent' } } as const }
}

/** A dependency that is unavailable, and what callers get meanwhile. */
const UNAVAILABLE: readonly Rule[] = [
  ...rules('503', {
    'limits-away: without Valkey every operation is rate_limit_unavailable': ({ withOther }) =>
      withOther(
        (config) => ({ ...config, valkey_urls: [`redis://127.0.0.1:${DEAD_PORT}`] }),
        async (other) => {
          for (const answer of await Promise.all([other.chat(), other.get('/models')])) {
            expectError(answer, 'rate_limit_unavailable', null)
            expectRetryAfter(answer)
          }
        },
      ),
    'accounts-away: without PostgreSQL an unknown caller is service_unavailable': ({ withOther }) =>
      withOther(
        (config) => ({ ...config, database_url: `postgres://nobody@127.0.0.1:${DEAD_PORT}/none` }),
        async (other) => {
          const answer = await other.chat()
          expectError(answer, 'service_unavailable', null)
          expectRetryAfter(answer)
          assert.equal(answer.headers['service-data-retention'], 'zero')
        },
      ),
    'model-availability: a model whose engines were never found is unknown, but still listed': ({
      withOther,
    }) =>
      withOther(
        (config) => ({ ...config, engines: config.engines.map(undiscovered) }),
        async (other) => {
          const answer = await other.chat()
          expectError(answer, 'model_availability_unavailable', null)
          expectRetryAfter(answer)
          assert.equal((await other.get('/models')).status, 200)
        },
      ),
  }),
  ...rules('500', {
    'our-own-fault: an error of our own is internal_error and shows no detail': ({ withOther }) =>
      withOther(
        (config) => config,
        async ({ service, chat }) => {
          const { schema } = service.postgres.database
          await schema.alterTable('api_keys').renameTo('api_keys_gone').execute()
          const answer = await chat()
          expectError(answer, 'internal_error', null)
          assert.doesNotMatch(answer.text, /api_keys|relation|pg/)
        },
      ),
  }),
]

export const SERVICE_FAILURES: readonly Rule[] = [...CORS, ...UNAVAILABLE]
