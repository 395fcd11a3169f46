import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, MINIMAL, problemsOf } from '../../test/harness/processes/configuration.ts'

function engine(kind: string, more: string): string {
  const own = `{ name: one, kind: ${kind}, url: 'http://a', slots: 1${more} }`
  return MINIMAL.replace(/^engines: .*$/m, `engines: [${own}]`)
}

const problems = (kind: string, more: string) => problemsOf(() => load(engine(kind, more)))

test('a server that does not keep prompts apart needs one organization, or consent', () => {
  const [problem = '', ...others] = problems('openai', '')
  assert.match(problem, /engines\[0\]\.capabilities\.cache must be salt:MEMBER or shared, or/)
  assert.deepEqual(others, [])
  assert.match(problems('openai', ', capabilities: { abort: none }')[0] ?? '', /cache must be/)
  assert.deepEqual(problems('openai', ', organization: org_1'), [])
  assert.deepEqual(problems('openai', ', capabilities: { cache: shared }'), [])
  assert.deepEqual(problems('openai', ", capabilities: { cache: 'salt:cache_salt' }"), [])
  assert.match(problems('openai', ", capabilities: { cache: 'salt:' }")[0] ?? '', /salt:MEMBER/)
})

test('what is not declared is found out, or counts as absent', () => {
  const [loaded] = load(engine('openai', ', capabilities: { cache: shared }')).engines
  assert.deepEqual(loaded?.capabilities, {
    reasoning_field: 'auto',
    usage: 'auto',
    tool_choice: 'auto',
    json_schema: 'auto',
    cache: 'shared',
    abort: 'none',
    context: 'truncates',
  })
})

test('a router is not put in front of llama-servers, whose caches belong to slots', () => {
  const [problem = ''] = problems('llama-server', ', workers: many')
  assert.match(problem, /engines\[0\]\.workers must be one: the slots of several servers/)
  assert.deepEqual(problems('vllm', ', workers: many'), [])
})

test('only one server of vLLM or SGLang has ranks', () => {
  for (const [kind, more] of [
    ['llama-server', ''],
    ['vllm', ', workers: many'],
  ] as const) {
    const [problem = ''] = problems(kind, `${more}, data_parallel_ranks: 2`)
    assert.match(problem, /data_parallel_ranks requires one server of kind vllm or sglang$/)
  }
  assert.deepEqual(problems('sglang', ', data_parallel_ranks: 2'), [])
})

test('capabilities are declared for servers of kind openai only', () => {
  const [problem = ''] = problems('vllm', ', capabilities: { cache: shared }')
  assert.match(problem, /engines\[0\]\.capabilities requires kind: openai$/)
  assert.deepEqual(problems('vllm', ', organization: org_1'), [])
})
