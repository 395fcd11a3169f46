import assert from 'node:assert/strict'
import { readJson } from '../../api/client.ts'
import { expectAccepted, expectError, MODEL, requestWith, type Rule } from './rule.ts'
import { BARE_MODEL, BODY_BYTES_MAX, SHUT_MODEL } from './world.ts'

type Model = {
  readonly id: string
  readonly object: string
  readonly created: number
  readonly owned_by: string
  readonly shutdown_date: string | null
  readonly context_length?: number
  readonly max_output_tokens?: number
  readonly default_parameters?: { readonly max_tokens?: number }
  readonly reasoning?: {
    readonly supported_efforts: readonly string[]
    readonly default_effort?: string
    readonly mandatory: boolean
  }
}

type ModelList = { readonly object: string; readonly data: readonly Model[] }

const UNKNOWN_PATHS = [
  '',
  ...'/ /chat /chat/ /chat/completions/ /chat/completions/x /models/ /responses'.split(' '),
  ...'/embeddings /images/generations /audio/speech /files /batches /assistants'.split(' '),
  ...'/completions /Models //models /chat%2Fcompletions /./models'.split(' '),
]

const OTHER_METHODS = [
  ...['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].map((m) => [m, '/chat/completions', 'POST']),
  ...['POST', 'PUT', 'DELETE', 'OPTIONS'].map((method) => [method, '/models', 'GET']),
  ...['POST', 'DELETE'].map((method) => [method, `/models/${MODEL}`, 'GET']),
] as [string, string, string][]

const ENDPOINTS: readonly Rule[] = [
  ...UNKNOWN_PATHS.map((path): Rule => ({
    id: `endpoint/404-${path}`,
    name: `the path '${path}' is unsupported_endpoint`,
    async check({ client }) {
      expectError(await client.get(path), 'unsupported_endpoint', null)
      expectError(await client.chat({}, { path }), 'unsupported_endpoint', null)
    },
  })),
  ...OTHER_METHODS.map(([method, path, allowed]): Rule => ({
    id: `endpoint/405-${method}${path}`,
    name: `${method} ${path} is unsupported_method and allows ${allowed}`,
    async check({ client }) {
      const answer = await client.get(path, { method })
      expectError(answer, 'unsupported_method', null)
      assert.equal(answer.headers['allow'], allowed)
    },
  })),
]

/** What stands behind /models/, and whether it is the demo model. */
const IDS: readonly (readonly [string, boolean])[] = [
  ['headrace/pebble', true],
  ['headrace%2Fpebble', true],
  ['headrace%2fpebble', true],
  ['%68eadrace/pebble', true],
  ['headrace/pebble?x=1', true],
  ['headrace%252Fpebble', false],
  ['headrace/../headrace/pebble', false],
  ['..%2Fheadrace%2Fpebble', false],
  ['headrace/pebble/', false],
  ['headrace//pebble', false],
  ['headrace/pebble%00', false],
  ['%00', false],
  ['headrace', false],
  ['%', false],
  ['%ff', false],
  ['..', false],
  ['constructor', false],
  ['Headrace/Pebble', false],
  [SHUT_MODEL, false],
  ['x'.repeat(2_000), false],
]

const MODELS: readonly Rule[] = [
  ...IDS.map(([id, found]): Rule => ({
    id: `model/${id.slice(0, 40)}`,
    name: `/models/${id.slice(0, 40)} is ${found ? 'the demo model' : 'model_not_found'}`,
    async check({ client }) {
      const answer = await client.get(`/models/${id}`)
      if (!found) expectError(answer, 'model_not_found', 'model')
      else assert.equal((readJson(answer) as Model).id, MODEL)
    },
  })),
  {
    id: 'models/list',
    name: 'the list is an object list of models',
    async check({ client }) {
      const list = readJson(await client.get('/models')) as ModelList
      assert.deepEqual(Object.keys(list).toSorted(), ['data', 'object'])
      assert.equal(list.object, 'list')
      assert.ok(list.data.some(({ id }) => id === MODEL))
    },
  },
  {
    id: 'models/fields',
    name: 'every model has id, object, created, owned_by and shutdown_date of their types',
    async check({ client }) {
      const { data } = readJson(await client.get('/models')) as ModelList
      for (const { id, object, created, owned_by, shutdown_date } of data) {
        assert.ok(id && owned_by)
        assert.equal(object, 'model')
        assert.ok(Number.isInteger(created) && created >= 0)
        assert.ok(shutdown_date === null || /^\d{4}-\d\d-\d\d$/.test(shutdown_date))
      }
    },
  },
  {
    id: 'models/announced',
    name: 'what a model announces is shown',
    async check({ client }) {
      const model = readJson(await client.get(`/models/${MODEL}`)) as Model
      assert.deepEqual(model, {
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
  },
  {
    id: 'models/unannounced',
    name: 'what a model does not announce is left out, not null',
    async check({ client }) {
      const model = readJson(await client.get(`/models/${BARE_MODEL}`)) as Model
      const shown = Object.keys(model).toSorted()
      assert.deepEqual(shown, ['created', 'id', 'object', 'owned_by', 'shutdown_date'])
    },
  },
  {
    id: 'models/same',
    name: 'retrieving a model gives the same as the list',
    async check({ client }) {
      const { data } = readJson(await client.get('/models')) as ModelList
      for (const model of data.filter(({ id }) => !id.startsWith('scripted/')))
        assert.deepEqual(readJson(await client.get(`/models/${model.id}`)), model)
    },
  },
  {
    id: 'models/shut',
    name: 'a model past its shutdown date is not listed, one before it is, with its date',
    async check({ client }) {
      const { data } = readJson(await client.get('/models')) as ModelList
      assert.ok(!data.some(({ id }) => id === SHUT_MODEL))
      const dated = data.find(({ id }) => id === 'contract/dated')
      assert.deepEqual([dated?.shutdown_date, dated?.created], ['2999-12-31', 1_700_000_000])
    },
  },
  {
    id: 'models/plan',
    name: 'a model outside the plan is neither listed nor found nor served',
    async check({ client, openOrganization }) {
      const key = await openOrganization('one-model')
      const { data } = readJson(await client.get('/models', { key })) as ModelList
      assert.deepEqual(
        data.map(({ id }) => id),
        [MODEL],
      )
      expectError(await client.get(`/models/${BARE_MODEL}`, { key }), 'model_not_found', 'model')
      const answer = await client.chat(requestWith({ model: BARE_MODEL }), { key })
      expectError(answer, 'model_not_found', 'model')
    },
  },
]

function bodyRule(
  id: string,
  name: string,
  sent: { readonly body?: string | Buffer; readonly headers?: Record<string, string> },
  outcome: readonly [code: string, param: string | null] | 'accepted',
): Rule {
  return {
    id: `body/${id}`,
    name,
    async check({ client }) {
      const answer = await client.chat(requestWith({}), sent)
      if (outcome === 'accepted') expectAccepted(answer)
      else expectError(answer, ...outcome)
    },
  }
}

const NO_JSON = ['invalid_json', null] as const
const NO_MEDIA = ['unsupported_media_type', null] as const
const VALID = JSON.stringify(requestWith({}))

const BODIES: readonly Rule[] = [
  ...Object.entries({
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
  }).map(([what, body]) =>
    bodyRule(
      what.replaceAll(' ', '-'),
      `a body that is ${what} is invalid_json`,
      { body },
      NO_JSON,
    ),
  ),
  bodyRule(
    'white-space',
    'white space around the body is accepted',
    { body: ` \n${VALID}\t` },
    'accepted',
  ),
  bodyRule(
    'at-limit',
    'a body of exactly the largest size is accepted',
    { body: VALID.padEnd(BODY_BYTES_MAX) },
    'accepted',
  ),
  bodyRule(
    'above-limit',
    'a body of one byte more is request_too_large',
    { body: VALID.padEnd(BODY_BYTES_MAX + 1) },
    ['request_too_large', null],
  ),
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp']
    .concat(['application/json-seq', 'text/json', 'application', ''])
    .map((type) =>
      bodyRule(
        `type-${type}`,
        `a Content-Type of '${type}' is unsupported_media_type`,
        { headers: { 'content-type': type } },
        NO_MEDIA,
      ),
    ),
  {
    id: 'body/no-type',
    name: 'no Content-Type at all is unsupported_media_type',
    async check({ client, service }) {
      const { key } = await service.createCaller()
      const sent = { method: 'POST', path: '/chat/completions', key, headers: {}, body: VALID }
      expectError(await client.send(sent), ...NO_MEDIA)
    },
  },
]

export const ENDPOINTS_AND_BODIES: readonly Rule[] = [...ENDPOINTS, ...MODELS, ...BODIES]
