import * as fc from 'fast-check'

// Random and hostile conversations, made so that no template can hide a field that is not counted.

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
export const request = fc
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
export const HOSTILE = [
  answered({ id: '\u0001'.repeat(256) }),
  answered({ name: '\u0001'.repeat(128) }),
  answered({ content: '\u0001"'.repeat(300) }),
  answered({ values: { a: Array.from({ length: 2_000 }, () => 1) } }),
  answered({ values: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, 1])) }),
  answered({ values: { a: Array.from({ length: 500 }, () => 1e300) } }),
]
