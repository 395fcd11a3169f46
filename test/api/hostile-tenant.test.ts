import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../src/config/load.ts'
import { chunk, ending, ROLE } from '../harness/fake-engine/events.ts'
import { begin, startFakeEngine, type Asked } from '../harness/fake-engine/server.ts'
import { openLine } from '../harness/http-client.ts'
import { startService } from '../harness/service.ts'

const MODEL = 'hostile/model'
const HOSTILE_REQUESTS = 1_000
const HOSTILE_AT_ONCE = 20
const SLOW_EVERY = 100
/** Nobody else succeeds meanwhile. */
const HOSTILE_ALONE = 500
const SERVED_MIN = 0.999
const SLOW = 'A prompt that takes forever.'

/** Ignores every forced tool choice, and never answers a slow prompt. */
function answer({ body, response }: Asked): void {
  if (JSON.stringify(body).includes(SLOW)) return
  begin(response).end(ROLE + chunk({ content: 'Hello' }) + ending({ prompt: 5, completion: 1 }))
}

function withEngines(config: Config, urls: readonly string[]): Config {
  const [model] = config.models
  if (model === undefined) throw new Error('the configuration has no model to follow')
  const kind = { kind: 'llama-server', slots: 64, prompt_cache: 'auto' } as const
  const engines = urls.map((url, index) => ({ name: `hostile-${index}`, url, ...kind }))
  const own = { id: MODEL, engines: engines.map(({ name }) => name), first_token_seconds: 2 }
  return { ...config, engines, models: [{ ...model, ...own }] }
}

const ask = (content: string, change: object = {}) => {
  const messages = [{ role: 'user', content }]
  return { model: MODEL, messages, max_completion_tokens: 4, ...change }
}

const parameters = { type: 'object', properties: {} }
const tools = [{ type: 'function', function: { name: 'act', parameters } }]
const FORCED = ask('Call it.', { tools, tool_choice: 'required' })

test('an organization whose requests fail ejects no engine, and others are served', async () => {
  await using one = await startFakeEngine(answer)
  await using other = await startFakeEngine(answer)
  await using service = await startService((config) => withEngines(config, [one.url, other.url]))
  await using line = openLine(service.apiRoot, HOSTILE_AT_ONCE + 1)
  const [hostile, bystander] = [await service.createCaller(), await service.createCaller()]
  const attacked = { sent: 0 }
  const failed = new Map<number, number>()
  const attack = async () => {
    while (attacked.sent < HOSTILE_REQUESTS) {
      attacked.sent += 1
      const { status } = await line.chat(
        hostile.key,
        attacked.sent % SLOW_EVERY === 0 ? ask(SLOW) : FORCED,
      )
      failed.set(status, (failed.get(status) ?? 0) + 1)
    }
  }
  const attacks = Array.from({ length: HOSTILE_AT_ONCE }, attack)
  const statuses: number[] = []
  while (attacked.sent < HOSTILE_ALONE) await new Promise(setImmediate)
  while (attacked.sent < HOSTILE_REQUESTS)
    statuses.push((await line.chat(bystander.key, ask('Hello'))).status)
  await Promise.all(attacks)
  assert.deepEqual([...failed], [[502, HOSTILE_REQUESTS]])
  const served = statuses.filter((status) => status === 200).length
  assert.ok(served >= SERVED_MIN * statuses.length, `${served} of ${statuses.length}`)
  const metrics = await (await fetch(`${service.healthAddress}/metrics`)).text()
  assert.match(metrics, /^headrace_engine_ejections_total\{engine="[^"]+"\} 0$/m)
  assert.doesNotMatch(metrics, /^headrace_engine_ejections_total\{[^}]+\} [1-9]/m)
})
