import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeProject } from '../../src/store/tenants/projects.ts'
import { modelOn, startEnvironment } from '../harness/environment.ts'
import { chunk, ending, ROLE } from '../harness/fake-engine/events.ts'
import { begin, startFakeEngine } from '../harness/fake-engine/server.ts'
import { limitsOf } from '../harness/environment.ts'
import type { HeadraceProcess } from '../harness/processes/process.ts'

const MONTH_MS = 31 * 86_400_000
/** In micro-units per token, and the spending limit of the project in micro-units. */
const PRICE = { input: 1, output: 1 }
const LIMIT = 1_000
const USED = { prompt: 10, completion: 90 }
const COST = 100
const MAX_TOKENS = 90

/** Node's options for a process whose clock is off by so many milliseconds. */
function shiftedClock(byMs: number): Record<string, string> {
  const code = `const now = Date.now; Date.now = () => now() + ${byMs}`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

test('a process with a wrong clock does not switch off a spending limit', async () => {
  await using engine = await startFakeEngine(
    ({ response }) => void begin(response).end(ROLE + chunk({ content: 'text' }) + ending(USED)),
    { promptTokens: USED.prompt },
  )
  const model = { id: modelOn('one'), engines: ['one'], context_length: 256, price: PRICE }
  await using environment = await startEnvironment({
    engines: [{ name: 'one', url: engine.url }],
    models: [model],
    plans: { postpaid: { models: 'all', billing: 'postpaid', limits: limitsOf() } },
    valkey: 'own',
  })
  const ahead = await environment.startApi(shiftedClock(MONTH_MS))
  const right = await environment.startApi()
  const behind = await environment.startApi(shiftedClock(-MONTH_MS))
  const { organizationId, projectId, key } = await environment.openCaller('postpaid')
  const project = { id: projectId, organization_id: organizationId }
  await changeProject(environment.postgres.database, project, { spendingLimit: LIMIT })
  const ask = async ({ apiRoot }: HeadraceProcess): Promise<number> => {
    const response = await fetch(`${apiRoot}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: model.id,
        max_tokens: MAX_TOKENS,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    })
    await response.arrayBuffer()
    return response.status
  }
  let served = 0
  for (let round = 0; round < 10; round += 1)
    for (const api of [ahead, right, behind]) if ((await ask(api)) === 200) served += 1
  // The worst case of a request is more than it costs, so the last ones may not fit.
  assert.ok(served > 0 && served * COST <= LIMIT, `${served} requests of ${COST} within ${LIMIT}`)
})
