import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { readError, readJson, type Sent } from '../client.ts'
import { expectAccepted, expectError, MODEL, requestWith, type Rule, rules } from './rule.ts'
import { BARE_MODEL, BODY_BYTES_MAX, type ContractApi, SHUT_MODEL } from './start.ts'

type Model = {
  readonly id: string
  readonly object: string
  readonly created: number
  readonly owned_by: string
  readonly shutdown_date: string | null
}

async function listModels(api: ContractApi, sent: Partial<Sent> = {}): Promise<readonly Model[]> {
  return (readJson(await api.get('/models', sent)) as { readonly data: readonly Model[] }).data
}

async function getModel(api: ContractApi, id: string): Promise<Model> {
  return readJson(await api.get(`/models/${id}`)) as Model
}

const UNKNOWN_PATHS = [
  '',
  ...'/ /chat /chat/ /chat/completions/ /chat/completions/x /models/ /responses'.split(' '),
  ...'/embeddings /images/generations /audio/speech /files /batches /assistants'.split(' '),
  ...'/completions /Models //models /chat%2Fcompletions /./models'.split(' '),
]

const OTHER_METHODS = [
  ['GET PUT DELETE PATCH OPTIONS', '/chat/completions', 'POST'],
  ['POST PUT DELETE OPTIONS', '/models', 'GET'],
  ['POST DELETE', `/models/${MODEL}`, 'GET'],
] as const

const ENDPOINTS: readonly Rule[] = [
  ...UNKNOWN_PATHS.map((path): Rule => ({
    id: `endpoint/404-${path}`,
    name: `the path '${path}' is unsupported_endpoint`,
    async check({ client }) {
      expectError(await client.get(path), 'unsupported_endpoint', null)
      expectError(await client.chat({}, { path }), 'unsupported_endpoint', null)
    },
  })),
  ...OTHER_METHODS.flatMap(([methods, path, allowed]) =>
    methods.split(' ').map((method): Rule => ({
      id: `endpoint/405-${method}${path}`,
      name: `${method} ${path} is unsupported_method and allows ${allowed}`,
      async check(api) {
        const answer = await api.get(path, { method })
        expectError(answer, 'unsupported_method', null)
        assert.equal(answer.headers['allow'], allowed)
      },
    })),
  ),
]

/** Client settings that lead to a path which does not exist, and what the message says of them. */
const WRONG_SETTINGS = [
  ['/responses', /^The Responses API is not supported. Configure/],
  ['/completions', /not supported. Configure .* chat completions/],
  ['/v1/chat/completions', /the base URL contains \/v1 twice/],
  ['/v1', /the base URL contains \/v1 twice/],
  ['/v1beta', /^This endpoint does not exist. The API root/],
] as const

const WRONG_ROOTS = [
  '',
  ...'/v1 /v1/v1 /compat /api/v1 /compat/v1/v1 /compat/v1/compat/v1'.split(' '),
]

const ADVICE: readonly Rule[] = [
  ...WRONG_SETTINGS.map(([path, says]): Rule => ({
    id: `endpoint/advice-${path}`,
    name: `the message at '${path}' says which setting of the client is wrong`,
    check: async ({ client }) =>
      assert.match(readError(await client.chat({}, { path })).message, says),
  })),
  ...WRONG_ROOTS.map((base): Rule => ({
    id: `endpoint/root-${base}`,
    name: `below the wrong root '${base}' a client is told the right one`,
    async check({ service, key }) {
      const { origin } = new URL(service.apiRoot)
      const headers = { authorization: `Bearer ${key}` }
      for (const path of ['/chat/completions', '/models']) {
        const response = await fetch(`${origin}${base}${path}`, { headers })
        assert.equal(response.status, 404)
        const { message, ...rest } = readError({ text: await response.text() })
        const type = 'invalid_request_error'
        assert.deepEqual(rest, { type, param: null, code: 'unsupported_endpoint' })
        assert.match(message, /API root is \/compat\/v1: .* http\(s\):\/\/HOST\/compat\/v1\./)
      }
    },
  })),
  ...rules('endpoint', {
    'counted: a request to an unknown endpoint counts': async (api) => {
      const key = await api.openOrganization('thousand')
      const left = async () => {
        const { headers } = await api.client.chat({}, { path: '/embeddings', key })
        return Number(headers['x-ratelimit-remaining-requests-day'])
      }
      assert.deepEqual([await left(), await left()], [1999, 1998])
    },
  }),
]

/** Below /models/: the first are the demo model, the others no model. */
const SAME_IDS = [
  ...'headrace/pebble headrace%2Fpebble headrace%2fpebble %68eadrace/pebble'.split(' '),
  'headrace/pebble?x=1',
]
const OTHER_IDS = [
  ...'headrace%252Fpebble headrace/../headrace/pebble ..%2Fheadrace%2Fpebble'.split(' '),
  ...'headrace/pebble/ headrace//pebble headrace/pebble%00 Headrace/Pebble'.split(' '),
  ...'%00 headrace % %ff .. constructor'.split(' '),
  SHUT_MODEL,
  'x'.repeat(2_000),
]

const MODELS: readonly Rule[] = [
  ...[...SAME_IDS, ...OTHER_IDS].map((id): Rule => {
    const found = SAME_IDS.includes(id)
    const shown = id.slice(0, 40)
    return {
      id: `model/${shown}`,
      name: `/models/${shown} is ${found ? 'the demo model' : 'model_not_found'}`,
      async check(api) {
        const answer = await api.get(`/models/${id}`)
        if (!found) expectError(answer, 'model_not_found', 'model')
        else assert.equal((readJson(answer) as Model).id, MODEL)
      },
    }
  }),
  ...rules('models', {
    'list: the list is an object list of models': async (api) => {
      const list = readJson(await api.get('/models')) as { object: string; data: Model[] }
      assert.deepEqual(Object.keys(list).toSorted(), ['data', 'object'])
      assert.equal(list.object, 'list')
      assert.ok(list.data.some(({ id }) => id === MODEL))
    },
    'fields: every model has id, object, created, owned_by and shutdown_date': async (api) => {
      for (const { id, object, created, owned_by, shutdown_date } of await listModels(api)) {
        assert.ok(id && owned_by)
        assert.equal(object, 'model')
        assert.ok(Number.isInteger(created) && created >= 0)
        assert.ok(shutdown_date === null || /^\d{4}-\d\d-\d\d$/.test(shutdown_date))
      }
    },
    'announced: what a model announces is shown': async (api) => {
      assert.deepEqual(await getModel(api, MODEL), {
        id: MODEL,
        object: 'model',
        created: 0,
        owned_by: 'headrace',
        shutdown_date: null,
        context_length: 4096,
        max_output_tokens: 2048,
        default_parameters: { max_tokens: 1024 },
        reasoning: {
          supported_efforts: ['low', 'medium', 'high'],
          default_effort: 'medium',
          mandatory: true,
        },
      })
    },
    'unannounced: what a model does not announce is absent, not null': async (api) => {
      const shown = Object.keys(await getModel(api, BARE_MODEL)).toSorted()
      assert.deepEqual(shown, ['created', 'id', 'object', 'owned_by', 'shutdown_date'])
    },
    'same: retrieving a model gives the same as the list': async (api) => {
      for (const model of await listModels(api))
        if (!model.id.startsWith('scripted/'))
          assert.deepEqual(await getModel(api, model.id), model)
    },
    'shut: a model is listed until its shutdown date, with the date': async (api) => {
      const models = await listModels(api)
      assert.ok(!models.some(({ id }) => id === SHUT_MODEL))
      const dated = models.find(({ id }) => id === 'contract/dated')
      assert.deepEqual([dated?.shutdown_date, dated?.created], ['2999-12-31', 1_700_000_000])
    },
    'plan: a model outside the plan is neither listed nor found nor served': async (api) => {
      const key = await api.openOrganization('one-model')
      const ids = (await listModels(api, { key })).map(({ id }) => id)
      assert.deepEqual(ids, [MODEL])
      expectError(await api.get(`/models/${BARE_MODEL}`, { key }), 'model_not_found', 'model')
      const outside = await api.chat({ model: BARE_MODEL }, { key })
      expectError(outside, 'model_not_found', 'model')
      const unknown = await api.chat({ model: 'no/such' }, { key })
      assert.equal(outside.text, unknown.text, 'it looks like one that does not exist')
    },
  }),
]

const VALID = JSON.stringify(requestWith({}))

const NOT_JSON: Readonly<Record<string, string | Buffer>> = {
  empty: '',
  'cut off': VALID.slice(0, -2),
  'followed by more': `${VALID}{}`,
  'an array': `[${VALID}]`,
  'a string': '"hello"',
  'a number': '7',
  null: 'null',
  'not UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  'with single quotes': "{'model': 'x'}",
  NaN: '{"temperature": NaN}',
}

const OTHER_TYPES = [
  ...'text/plain text/json multipart/form-data application application/jsonp'.split(' '),
  ...'application/json-seq application/x-www-form-urlencoded'.split(' '),
  '',
]

const BODIES: readonly Rule[] = [
  ...Object.entries(NOT_JSON).map(([what, body]): Rule => ({
    id: `body/${what.replaceAll(' ', '-')}`,
    name: `a body that is ${what} is invalid_json`,
    check: async (api) => expectError(await api.chat({}, { body }), 'invalid_json', null),
  })),
  ...OTHER_TYPES.map((type): Rule => ({
    id: `body/type-${type}`,
    name: `a Content-Type of '${type}' is unsupported_media_type`,
    async check(api) {
      const headers = { 'content-type': type }
      expectError(await api.chat({}, { headers }), 'unsupported_media_type', null)
    },
  })),
  ...rules('body', {
    'white-space: white space around the body is accepted': async (api) =>
      expectAccepted(await api.chat({}, { body: ` \n${VALID}\t` })),
    'at-limit: a body of exactly the largest size is accepted': async (api) =>
      expectAccepted(await api.chat({}, { body: VALID.padEnd(BODY_BYTES_MAX) })),
    'above-limit: a body of one byte more is request_too_large': async (api) => {
      const answer = await api.chat({}, { body: VALID.padEnd(BODY_BYTES_MAX + 1) })
      expectError(answer, 'request_too_large', null)
    },
    'compressed: a compressed body is rejected and never decompressed': async (api) => {
      const headers = { 'content-encoding': 'gzip' }
      const answer = await api.chat({}, { body: gzipSync(VALID), headers })
      expectError(answer, 'unsupported_media_type', null)
    },
    'no-type: no Content-Type at all is unsupported_media_type': async ({ client, service }) => {
      const { key } = await service.createCaller()
      const sent = { method: 'POST', path: '/chat/completions', key, headers: {}, body: VALID }
      expectError(await client.send(sent), 'unsupported_media_type', null)
    },
  }),
]

export const ENDPOINTS_AND_BODIES: readonly Rule[] = [...ENDPOINTS, ...ADVICE, ...MODELS, ...BODIES]
