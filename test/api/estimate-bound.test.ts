import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { ChatRequest } from '../../src/contract/chat-request.ts'
import type { TemplateCost } from '../../src/contract/prompt-bound.ts'
import { connectChatEngine } from '../../src/engines/adapters/chat-engine.ts'
import { EngineError, type Engine } from '../../src/engines/adapters/engine.ts'
import { llamaServer } from '../../src/engines/adapters/llama-server.ts'
import { measureTemplate } from '../../src/engines/adapters/template/measure-template.ts'
import { createNeutralise } from '../../src/engines/adapters/neutralise.ts'
import { createReadPauses } from '../../src/engines/wire/read-pauses.ts'
import type { ServedModel } from '../../src/inference/catalog.ts'
import { estimateRequest } from '../../src/inference/estimate.ts'
import { openRecord } from '../../src/inference/open-record.ts'
import type { Caller } from '../../src/tenancy/caller.ts'
import { startLlamaServer } from '../harness/llama-server.ts'
import { requireStack } from '../harness/service.ts'

const TEMPLATES = new URL('../harness/templates/', import.meta.url)
const FILES = readdirSync(TEMPLATES).filter((name) => name.endsWith('.jinja'))
const RUNS = 40

const text = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.constantFrom('<|im_start|>', '\n\n\n', '{"a": [1, 2]}', '日本語のテキスト', '🧪🧪🧪'),
  fc.constantFrom('\u0001\u0002"'.repeat(40), '\\"'.repeat(60), '<s>'.repeat(50)),
)

/** Some templates accept only nine letters and digits; others render whatever it is. */
const id = fc.oneof(
  fc.stringMatching(/^[a-z0-9]{9}$/),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  fc.constantFrom('x y'.repeat(85), '<s>'.repeat(85), '\u0001'.repeat(256), 'functions.f:0'),
)

const functionName = fc.oneof(
  fc.stringMatching(/^[a-z]{1,20}$/),
  fc.constantFrom('x y'.repeat(42), '<s>'.repeat(42), '"'.repeat(128), '名前'.repeat(64)),
)

/** Templates parse arguments and render them again, some of them each on its own. */
const values = fc.oneof(
  fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 12 }),
  fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 }).map((a) => ({ a })),
  fc.constantFrom({ a: Array.from({ length: 20 }, () => 1e300) }, { a: 5e-324 }),
  fc.integer({ min: 0, max: 60 }).map((length) => {
    const names = Array.from({ length }, (_, index) => [`k${index}`, 1])
    return Object.fromEntries(names) as object
  }),
)

const call = fc.record({ id, name: functionName, values }).map(({ name, values: its, ...own }) => ({
  ...own,
  type: 'function' as const,
  function: { name, arguments: JSON.stringify(its) },
}))

const turn = fc.oneof(
  fc
    .record({ role: fc.constantFrom('system', 'user', 'developer'), content: text })
    .map((each) => [each]),
  fc
    .record({ role: fc.constant('assistant'), content: text, reasoning_content: text })
    .map((each) => [each]),
  fc
    .tuple(fc.array(call, { minLength: 1, maxLength: 3 }), fc.array(text, { maxLength: 4 }))
    .map(([calls, results]) => [
      { role: 'assistant', content: null, tool_calls: calls },
      ...results.map((content, at) => {
        const { id: own = '' } = calls[at % calls.length] ?? {}
        return { role: 'tool', tool_call_id: own, content }
      }),
    ]),
)

const tool = fc
  .record({ name: fc.stringMatching(/^[a-z]{1,20}$/), description: text })
  .map((its) => ({
    type: 'function',
    function: { ...its, parameters: { type: 'object', properties: { [its.name]: {} } } },
  }))

/** Strict templates want a user message first; the others get any order. */
const request = fc
  .record({
    model: fc.constant('m'),
    first: fc.option(fc.record({ role: fc.constant('user'), content: text }), { freq: 3 }),
    turns: fc.array(turn, { minLength: 1, maxLength: 6 }),
    tools: fc.array(tool, { maxLength: 4 }),
  })
  .map(({ model, first, turns, tools }) => {
    const last = { role: 'user', content: 'Hello' }
    return { model, messages: [...(first ? [first] : []), ...turns.flat(), last], tools }
  })

/** A conversation whose results answer one call, again and again. */
function answered(change: { id?: string; name?: string; content?: string; values?: object }) {
  const { id: callId = 'call00001', name = 'f', content = 'x', values: its = { a: 1 } } = change
  const called = { name, arguments: JSON.stringify(its) }
  const results = Array.from({ length: 20 }, () => ({
    role: 'tool',
    tool_call_id: callId,
    content,
  }))
  const calling = { id: callId, type: 'function' as const, function: called }
  return {
    model: 'm',
    messages: [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: null, tool_calls: [calling] },
      ...results,
    ],
    tools: [],
  }
}

/** Each makes one field so large that nothing else can hide it if it is not counted. */
const HOSTILE = [
  answered({ id: '\u0001'.repeat(256) }),
  answered({ name: '\u0001'.repeat(128) }),
  answered({ content: '\u0001"'.repeat(300) }),
  answered({ values: { a: Array.from({ length: 2_000 }, () => 1) } }),
  answered({ values: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, 1])) }),
  answered({ values: { a: Array.from({ length: 500 }, () => 1e300) } }),
]

const neutralise = createNeutralise([])
const caller = { prices: new Map(), models: 'all', keyModels: null } as unknown as Caller

/** The bound that is reserved by, and the lower bound by which a prompt is refused uncounted. */
function boundsOf(value: object, cost: TemplateCost) {
  const body = { read: true, value } as const
  const served = { model: { id: 'm' }, neutralise, templateCost: () => cost }
  const estimate = estimateRequest(body, new Map())
  const usageLog = { instance: 'process' }
  const opened = openRecord(
    'id',
    caller,
    body,
    estimate,
    served as unknown as ServedModel,
    usageLog,
  )
  return { most: opened.promptTokensMax, least: estimate.promptTokensMin }
}

function connect(url: string, apiKey?: string): Engine {
  const pauses = { readPauses: createReadPauses(0) }
  const options = { name: 'e', url, apiKey, slots: 2, modelName: 'pebble', ...pauses }
  return connectChatEngine(options, llamaServer)
}

/** Counts random requests; returns how many the template accepted. */
async function compare(engine: Engine, cost: TemplateCost): Promise<number> {
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(request, async (value) => {
      const { most, least } = boundsOf(value, cost)
      const asked = { outputTokensMax: 1, organizationId: '', neutralise, effort: 'high' }
      const generation = { ...asked, request: value as unknown as ChatRequest }
      const count = engine.countPrompt(generation, new AbortController().signal)
      const counted = await count.catch((error: unknown) => {
        // The template rejects this order of roles, or this id.
        if (error instanceof EngineError && error.kind !== 'connection') return undefined
        throw error
      })
      if (counted === undefined) return
      accepted += 1
      assert.ok(counted <= most, `${counted} tokens, bound ${most}`)
      assert.ok(counted >= least, `${counted} tokens, bound ${least}`)
    }),
    {
      numRuns: RUNS + HOSTILE.length,
      examples: HOSTILE.map((value): [never] => [value as never]),
      endOnFailure: true,
    },
  )
  return accepted
}

async function measure(engine: Engine): Promise<TemplateCost> {
  const cost = await measureTemplate(engine)
  assert.ok(cost, 'the engine counts')
  return cost
}

test('property: the engine’s prompt count lies within the estimated bounds', async () => {
  const { url, apiKey } = requireStack().engine
  const engine = connect(url, apiKey)
  assert.ok((await compare(engine, await measure(engine))) > 0)
  engine.close()
})

for (const file of FILES)
  test(`property: no prompt exceeds its bound with the template ${file}`, async () => {
    const flags = ['--jinja', '--chat-template-file', new URL(file, TEMPLATES).pathname]
    await using server = await startLlamaServer(2, { flags })
    const engine = connect(server.url)
    assert.ok((await compare(engine, await measure(engine))) > 0, 'it accepts some conversations')
    engine.close()
  })
