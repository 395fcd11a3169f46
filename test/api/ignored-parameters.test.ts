import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { raiseVersion } from '../../src/store/limits/raise-version.ts'
import { changeApiKey } from '../../src/store/tenants/api-keys.ts'
import { scriptedModel } from '../harness/fake-engine/scripts.ts'
import { connectValkey } from '../harness/servers/valkey.ts'
import { openKey, type Key } from '../harness/seed/tenants.ts'
import { readError, type Answer } from './client.ts'
import { request, startApi, until } from './start.ts'

const SCRIPT = 'replays-text'
const SENT = {
  user: 'somebody',
  safety_identifier: 'a-hash',
  metadata: { team: 'blue' },
  prompt_cache_key: 'a-conversation',
}
const NAMES = ['user', 'safety_identifier', 'metadata', 'prompt_cache_key'] as const
type Name = (typeof NAMES)[number]
/** A model without a ready engine, for which another one answers. */
const AWAY = 'test/away'
const NOWHERE = 'http://127.0.0.1:9'

const api = await startApi((config) => {
  const { ample } = config.plans
  assert.ok(ample)
  const ignoring = { ...ample, ignored_parameters: ['metadata', 'user'] as const }
  const answering = config.models.find(({ id }) => id === scriptedModel(SCRIPT))
  assert.ok(answering)
  const engine = { name: 'away', kind: 'llama-server', url: NOWHERE, slots: 1 } as const
  const away = { ...answering, id: AWAY, engines: ['away'], fallback: [answering.id] }
  return {
    ...config,
    engines: [...config.engines, { ...engine, prompt_cache: 'none' }],
    models: [...config.models, away],
    plans: { ...config.plans, ignoring },
  }
})
after(() => api[Symbol.asyncDispose]())

describe('ignored parameters', { timeout: 60_000 }, () => {
  async function openKeyOf(plan: string, ...ignoredParameters: Name[]): Promise<Key> {
    const { projectId } = await api.service.createCaller(plan)
    return openKey(api.service.postgres.database, projectId, { ignoredParameters })
  }

  function chat({ text }: Key, change: object): Promise<Answer> {
    const body = request({ model: scriptedModel(SCRIPT), ...change })
    return api.client.chat(body, { key: text })
  }

  async function rejects(key: Key, change: object): Promise<[string | null, string | null]> {
    const answer = await chat(key, change)
    assert.equal(answer.status, 400)
    assert.equal(answer.headers['x-ignored-parameters'], undefined)
    const { code, param } = readError(answer)
    return [code, param]
  }

  /** The parameters that the response names. */
  async function ignores(key: Key, change: object): Promise<string | undefined> {
    const answer = await chat(key, change)
    assert.equal(answer.status, 200, answer.text)
    const body = api.engine.lastBody.get(SCRIPT) ?? {}
    for (const name of NAMES) assert.ok(!(name in body), `the engine got ${name}`)
    return answer.headers['x-ignored-parameters']
  }

  test('400: with the settings as shipped each is rejected, and the setting is named', async () => {
    const key = await openKeyOf('free')
    for (const [name, value] of Object.entries(SENT)) {
      assert.deepEqual(await rejects(key, { [name]: value }), ['unsupported_parameter', name])
      assert.deepEqual(await rejects(key, { [name]: null }), ['unsupported_parameter', name])
      const { message } = readError(await chat(key, { [name]: value }))
      assert.match(message, /add it to 'ignored_parameters' of the API key or of the plan\.$/)
    }
  })

  test('200: what the plan lists is ignored for its keys, and nothing else is', async () => {
    const key = await openKeyOf('ignoring')
    const { user, metadata, safety_identifier } = SENT
    assert.equal(await ignores(key, { metadata, user }), 'user, metadata')
    assert.equal(await ignores(key, {}), undefined)
    assert.deepEqual(await rejects(key, { user, safety_identifier }), [
      'unsupported_parameter',
      'safety_identifier',
    ])
  })

  test('200: what the key lists is ignored, and other keys of its plan reject it', async () => {
    const key = await openKeyOf('ample', 'prompt_cache_key')
    const { prompt_cache_key } = SENT
    assert.equal(await ignores(key, { prompt_cache_key, stream: true }), 'prompt_cache_key')
    const other = await openKeyOf('ample')
    assert.deepEqual(await rejects(other, { prompt_cache_key }), [
      'unsupported_parameter',
      'prompt_cache_key',
    ])
    assert.deepEqual(await rejects(key, { user: 'u' }), ['unsupported_parameter', 'user'])
  })

  test('200: plan and key add up, and the header has a fixed order with stop first', async () => {
    const key = await openKeyOf('ignoring', 'prompt_cache_key', 'safety_identifier', 'user')
    const all = 'user, safety_identifier, metadata, prompt_cache_key'
    assert.equal(await ignores(key, SENT), all)
    assert.equal(await ignores(key, { ...SENT, stop: 'x' }), `stop, ${all}`)
    assert.equal(
      await ignores(key, { ...SENT, user: null, metadata: null }),
      ['safety_identifier', 'prompt_cache_key'].join(', '),
    )
  })

  test('200: a model that answers for another one ignores the same, and names it', async () => {
    const key = await openKeyOf('ignoring')
    const answers = async () => (await chat(key, { model: AWAY })).status === 200
    await until('its engine is known to be away', answers)
    assert.equal(await ignores(key, { model: AWAY, user: 'u', stop: 'x' }), 'stop, user')
  })

  test('400: an ignored parameter of a wrong type is reported', async () => {
    const key = await openKeyOf('ignoring')
    assert.deepEqual(await rejects(key, { user: 1 }), ['invalid_value', 'user'])
    assert.deepEqual(await rejects(key, { metadata: { a: 1 } }), ['invalid_value', 'metadata'])
  })

  test('400: what asks for something about the answer cannot be ignored', async () => {
    const key = await openKeyOf('ignoring', ...NAMES)
    for (const name of ['top_logprobs', 'top_k', 'mirostat', 'ignore_eos', 'prediction'])
      assert.deepEqual(await rejects(key, { ...SENT, [name]: 1 }), ['unsupported_parameter', name])
  })

  test('a change of the key holds from the next request on', async () => {
    const key = await openKeyOf('ample')
    const { user } = SENT
    await using valkey = await connectValkey(api.service.config.valkey_urls)
    const change = async (...ignoredParameters: Name[]) => {
      const { database } = api.service.postgres
      const { raised } = await changeApiKey(database, key, { ignoredParameters })
      for (const each of raised) await raiseVersion(valkey, each)
    }
    assert.deepEqual(await rejects(key, { user }), ['unsupported_parameter', 'user'])
    await change('user')
    assert.equal(await ignores(key, { user }), 'user')
    await change()
    assert.deepEqual(await rejects(key, { user }), ['unsupported_parameter', 'user'])
  })
})
