import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Config } from '../../src/config/load.ts'
import type { ModelAvailability, ModelCapabilities } from '../../src/contract/management/billing.ts'
import { createClient } from '../api/client.ts'
import { startObligingEngine } from '../harness/fake-engine/obliging.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { ask, startConsole } from '../harness/processes/console.ts'
import { startService } from '../harness/processes/service.ts'
import { startValkey } from '../harness/servers/valkey.ts'

/** Long enough for the trials of an engine on a machine that does other work. */
const TIMEOUT_MS = 60_000

function change(config: Config): Config {
  return {
    ...config,
    // An order is sent to every fleet of a server.
    valkey_urls: [server.url],
    api: { ...config.api, fleet: 'main' },
    engines: [{ ...config.engines[0]!, url: engine.url }],
    models: [config.models[0]!],
  }
}

const server = await startValkey()
const engine = await startObligingEngine()
const console_ = await startConsole(change)
after(async () => {
  await console_[Symbol.asyncDispose]()
  await engine[Symbol.asyncDispose]()
  await server.kill()
})

/** Readers of the only model's availability, in the list of models and in the overview. */
async function openReader() {
  const { id: organizationId } = await console_.openOrganization()
  const { as } = await console_.openPerson({ organizationId, role: 'viewer' })
  const read = async (below: string) => {
    const path = `/organizations/${organizationId}${below}`
    const { status, body, text } = await ask(console_.root, 'GET', path, { as })
    assert.equal(status, 200, text)
    return body
  }
  type Model = {
    readonly availability: ModelAvailability
    readonly capabilities: ModelCapabilities
  }
  const first = async () => (await read('/models')).data[0] as unknown as Model
  const listed = async () => (await first()).availability
  const shown = async () => (await read('/overview'))['models'] as [Model]
  return { first, listed, shown: async () => (await shown())[0].availability }
}

test('a model is what its engine is, and not known without a process that tells', async () => {
  const { listed, shown } = await openReader()
  const becomes = (state: ModelAvailability['state']) =>
    waitUntil(`the model to be ${state}`, async () => (await listed()).state === state, TIMEOUT_MS)
  assert.deepEqual(await listed(), { state: 'unknown', since: null })
  {
    await using service = await startService(change)
    const { key } = await service.createCaller()
    await using client = createClient(service, key)
    const messages = [{ role: 'user', content: 'Hello' }]
    const chat = () => client.chat({ model: service.config.models[0]!.id, messages })
    await becomes('available')
    assert.equal((await chat()).status, 200)
    engine.die()
    assert.ok((await chat()).status >= 500)
    await becomes('unavailable')
    const { since } = await listed()
    assert.ok(since !== null && Date.parse(since) > 0)
    assert.deepEqual(await shown(), { state: 'unavailable', since })
    await engine.revive()
    await becomes('available')
    const operator = await console_.openPerson({ platformRole: 'operator' })
    const path = `/operator/engines/${service.config.engines[0]!.name}/order`
    const order = (state: string) =>
      ask(console_.root, 'PUT', path, { as: operator.as, body: { state } })
    assert.equal((await order('draining')).status, 200)
    await becomes('unavailable')
    assert.deepEqual(await shown(), { state: 'unavailable', since: null })
    assert.equal((await order('enabled')).status, 200)
    await becomes('available')
  }
  await becomes('unknown')
})

test('what the probe finds is told of the model, and not known without a process', async () => {
  const { first } = await openReader()
  const become = (value: true | null) =>
    waitUntil(
      `calls and schemas to be ${value}`,
      async () => {
        const { tool_choice: calls, json_schema: schemas } = (await first()).capabilities
        return calls === value && schemas === value
      },
      TIMEOUT_MS,
    )
  await become(null)
  {
    // The engine of the stack, which can do both.
    await using _service = await startService((config) => {
      const changed = change(config)
      const api = { ...changed.api, probe_engines: true }
      return { ...changed, api, engines: config.engines }
    })
    await become(true)
  }
  await become(null)
})
