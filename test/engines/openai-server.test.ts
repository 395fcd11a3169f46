// llama-server as a server of kind `openai`: it gets members of the convention only.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import type { EnginesReport } from '../../src/contract/management/operator-system.ts'
import { startEnvironment } from '../harness/environment.ts'
import { ENDLESS, startRealEngine } from '../harness/engines/real-engine.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { waitUntilPosted } from '../harness/load/metered.ts'
import { readPosted, type PostedRecord } from '../harness/seed/posted-usage.ts'
import type { Caller } from '../harness/seed/tenants.ts'

const TIMEOUT_MS = 60_000
const COUNT = { path: '/v1/chat/completions/input_tokens', member: 'input_tokens' }
const CONTEXT = 4_096

const engine = (name: string, capabilities: object, more: object = {}) => ({
  name,
  url: llama.url,
  kind: 'openai' as const,
  slots: 1,
  model_name: 'pebble',
  capabilities,
  ...more,
})

const REASONING = { reasoning: { supported_efforts: ['low', 'high'] } }

const llama = await startRealEngine(8)
const able = { cache: 'shared', abort: 'disconnect', context: 'refuses', count: COUNT }
const engines = [
  engine('able', able),
  engine('plain', {
    cache: 'shared',
    reasoning_field: 'none',
    tool_choice: 'none',
    json_schema: 'none',
  }),
  engine('silent', { cache: 'shared', usage: 'none', abort: 'disconnect' }),
  engine('held', { cache: 'shared' }),
  engine('private', { abort: 'disconnect' }, { organization: 'nobody' }),
]
const names: Record<string, string[]> = {
  ...Object.fromEntries(engines.map(({ name }) => [name, [name]])),
  mixed: ['plain', 'able'],
  both: ['private', 'able'],
}
const models = Object.entries(names).map(([id, own]) => ({
  id,
  engines: own,
  context_length: CONTEXT,
  ...REASONING,
}))
const environment = await startEnvironment({ engines, models, valkey: 'own' })
const owner = await environment.openCaller()
const other = await environment.openCaller()
const settings = await readFile(environment.file, 'utf8')
await writeFile(environment.file, settings.replace('"nobody"', `"${owner.organizationId}"`))
const api = await environment.startApi({ HEADRACE_API_PROBE_ENGINES: 'true' })
await environment.startWorker()
const isProbed = async () => {
  const probes = Object.values((await report()).engines)
  return probes.length === engines.length && probes.every((probe) => probe !== null)
}
await waitUntil('the engines to be probed', isProbed, TIMEOUT_MS)
endWithFile(environment, llama)

async function report(): Promise<EnginesReport> {
  return (await (await fetch(`${api.healthAddress}/engines`)).json()) as EnginesReport
}

function send(caller: Caller, model: string, more: object = {}, signal?: AbortSignal) {
  const messages = [{ role: 'user', content: 'What is the weather in Paris?' }]
  return fetch(`${api.apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, temperature: 0, max_completion_tokens: 200, ...more }),
    ...(signal && { signal }),
  })
}

type Answer = {
  readonly choices: {
    readonly finish_reason: string
    readonly message: {
      readonly content: string | null
      readonly reasoning_content?: string
      readonly tool_calls?: { readonly function: { name: string; arguments: string } }[]
    }
  }[]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number }
  readonly error?: { readonly code: string; readonly param: string; readonly message: string }
}

async function ask(caller: Caller, model: string, more: object = {}) {
  const response = await send(caller, model, more)
  return { status: response.status, ...((await response.json()) as Answer) }
}

const CITY = { type: 'object', properties: { city: { enum: ['zorb'] } }, required: ['city'] }
const TOOLS = ['look_up', 'forecast'].map((name) => ({
  type: 'function',
  function: { name, parameters: CITY },
}))
const NAMED = { type: 'function', function: { name: 'forecast' } }
const FORMAT = { type: 'json_schema', json_schema: { name: 'city', schema: CITY } }

test('a server is found to enforce tool choices and schemas, and to reason', async () => {
  const { able: full, ...others } = (await report()).engines
  const found = ['text', 'usage', 'end_marker', 'reasoning', 'tool_choice', 'json_schema', 'count']
  assert.deepEqual(
    found.filter((capability) => full?.[capability] !== true),
    [],
  )
  assert.equal(full?.['progress'], false, 'without members of its own it counts at the end only')
  assert.equal(full['cache_isolation'], false)
  assert.equal(others['silent']?.['usage'], false)
  assert.equal(others['private']?.['cache_isolation'], true)
  assert.equal(others['private']['abort'], true)
  assert.equal(others['private']['context'], false)
})

test('200: text, streams, forced calls and schemas', async () => {
  const { choices, usage } = await ask(other, 'able')
  assert.ok(choices[0]?.message.content)
  assert.ok(choices[0].message.reasoning_content)
  assert.ok(usage.prompt_tokens > 0 && usage.completion_tokens > 0)
  const stream = await send(other, 'able', { stream: true })
  assert.match(await stream.text(), /data: \[DONE\]\n\n$/)
  const called = await ask(other, 'able', { tools: TOOLS, tool_choice: NAMED })
  const call = called.choices[0]?.message.tool_calls?.[0]?.function
  assert.equal(call?.name, 'forecast')
  assert.deepEqual(JSON.parse(call.arguments), { city: 'zorb' })
  const formatted = await ask(other, 'able', { response_format: FORMAT })
  assert.deepEqual(JSON.parse(formatted.choices[0]?.message.content ?? ''), { city: 'zorb' })
})

test('400: what no engine of a model enforces is refused before a generation', async () => {
  const forced = await ask(other, 'plain', { tools: TOOLS, tool_choice: 'required' })
  assert.deepEqual(
    [forced.status, forced.error?.code, forced.error?.param],
    [400, 'unsupported_value', 'tool_choice'],
  )
  const formatted = await ask(other, 'plain', { response_format: FORMAT })
  assert.deepEqual([formatted.status, formatted.error?.param], [400, 'response_format'])
})

test('200: what some engines of a model enforce is sent to those', async () => {
  const caller = await environment.openCaller()
  for (let turn = 0; turn < 6; turn += 1) {
    const messages = [{ role: 'user', content: `Weather in Paris, question ${turn}?` }]
    const { status } = await ask(caller, 'mixed', { messages, response_format: FORMAT })
    assert.equal(status, 200)
  }
  const used = (await recordsOf(caller)).map((record) => record.engine)
  assert.deepEqual([...new Set(used)], ['able'])
})

test('models are announced without what not all of their engines can do', async () => {
  const headers = { authorization: `Bearer ${other.key}` }
  const response = await fetch(`${api.apiRoot}/models`, { headers })
  const { data } = (await response.json()) as { data: { id: string; reasoning?: object }[] }
  const reasoning = data.filter((model) => model.reasoning).map(({ id }) => id)
  assert.deepEqual(reasoning.toSorted(), ['able', 'both', 'held', 'silent'])
  assert.ok(!data.some(({ id }) => id === 'private'), 'it serves another organization')
})

test('an engine of one organization never gets the prompts of another', async () => {
  assert.equal((await ask(owner, 'private')).status, 200)
  const { status, error } = await ask(other, 'private')
  assert.deepEqual([status, error?.code], [404, 'model_not_found'])
  for (let turn = 0; turn < 8; turn += 1) {
    const messages = [{ role: 'user', content: `Question ${turn}: why?` }]
    const answer = await ask(other, 'both', { messages, max_completion_tokens: 5 })
    assert.equal(answer.status, 200)
  }
  const records = await recordsOf(other)
  assert.ok(records.length > 0)
  assert.deepEqual(
    records.filter((record) => record.engine === 'private'),
    [],
  )
})

async function recordsOf({ organizationId }: Caller): Promise<PostedRecord[]> {
  await waitUntilPosted(environment.valkey)
  const records = await readPosted(environment.postgres.pool)
  return records.filter((record) => record.organization === organizationId)
}

test('tokens that a server does not report are estimated, and their record says so', async () => {
  const caller = await environment.openCaller()
  const { choices, usage } = await ask(caller, 'silent')
  const { content, reasoning_content: reasoning } = choices[0]?.message ?? {}
  const bytes = Buffer.byteLength(`${reasoning}${content}`)
  assert.equal(usage.completion_tokens, Math.ceil(bytes / 4))
  assert.ok(usage.prompt_tokens > 0)
  const [record] = await recordsOf(caller)
  assert.deepEqual([record?.basis, record?.outcome], ['none', 'completed'])
  assert.deepEqual([record?.prompt, record?.completion], Object.values(usage).slice(0, 2))
})

test('a client that leaves pays, and keeps its slot until the generation has ended', async () => {
  const caller = await environment.openCaller()
  const leaving = new AbortController()
  const asked = { ...ENDLESS, stream: true, max_completion_tokens: 2_000 }
  const response = await send(caller, 'held', asked, leaving.signal)
  await response.body?.getReader().read()
  leaving.abort()
  const [record] = await recordsOf(caller)
  assert.deepEqual([record?.outcome, record?.basis], ['abandoned', 'none'])
  assert.ok((record?.prompt ?? 0) > 0, 'its prompt is billed')
  const isFree = async () => (await report()).states?.['held']?.slots_in_use === 0
  await waitUntil('the slot to be free', isFree, TIMEOUT_MS)
  assert.equal(await llama.inUse(), 0, 'the slot is free only when the engine is')
})

test('400: a prompt that may be too long is not sent to a server that may cut it', async () => {
  // About 2,000 tokens of 8,000 bytes: it fits, which only a server that counts can tell.
  const messages = [{ role: 'user', content: 'The river runs to the sea. '.repeat(300) }]
  const refused = await ask(other, 'plain', { messages, max_completion_tokens: 5 })
  assert.deepEqual([refused.status, refused.error?.code], [400, 'context_length_exceeded'])
  assert.match(refused.error?.message ?? '', /may have up to \d+ tokens/)
  assert.equal((await ask(other, 'able', { messages, max_completion_tokens: 5 })).status, 200)
})
