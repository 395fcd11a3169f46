import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modelOn, startEnvironment } from '../../test/harness/environment.ts'
import { chunk, ending, ROLE } from '../../test/harness/fake-engine/events.ts'
import { begin, startFakeEngine, type Asked } from '../../test/harness/fake-engine/server.ts'
import { openLine } from '../../test/harness/clients/http-client.ts'
import { waitUntil } from '../../test/harness/figures/measure.ts'
import type { HeadraceProcess } from '../../test/harness/processes/process.ts'

const WAIT_MS = 60_000
const PROBED = { HEADRACE_API_PROBE_ENGINES: 'true' }
const COUNTS = { prompt: 10, completion: 1 }

/** The first word that the schema of the offered tool allows. */
function wordIn(body: Asked['body']): unknown {
  const [tool] = (body['tools'] ?? []) as { function: { parameters: Parameters } }[]
  return tool?.function.parameters.properties?.word?.enum[0]
}
type Parameters = { readonly properties?: { readonly word?: { readonly enum: readonly string[] } } }

/** Counts the probes: only they require a tool, once. It calls tools until it is restarted. */
async function startToolEngine() {
  let [probes, callsTools] = [0, true]
  const engine = await startFakeEngine(({ body, response }: Asked) => {
    const isForced = !['auto', undefined].includes(body['tool_choice'] as string | undefined)
    if (body['tool_choice'] === 'required') probes += 1
    const text = JSON.stringify({ word: wordIn(body) })
    const call = { index: 0, id: 'a', function: { name: 'get_weather', arguments: text } }
    const delta = isForced && callsTools ? { tool_calls: [call] } : { content: 'Hello' }
    begin(response).end(ROLE + chunk(delta) + ending(COUNTS))
  })
  return {
    engine,
    probes: () => probes,
    restart: () => {
      callsTools = false
      return engine.revive()
    },
  }
}

async function reportsTools({ healthAddress }: HeadraceProcess): Promise<boolean | undefined> {
  const page = await (await fetch(`${healthAddress}/engines`)).json()
  const { engines } = page as { engines: Record<string, { tool_choice: boolean } | null> }
  return engines['tools']?.tool_choice
}

async function waitForAll(apis: readonly HeadraceProcess[], wanted: boolean): Promise<void> {
  const known = async () =>
    (await Promise.all(apis.map(reportsTools))).every((found) => found === wanted)
  await waitUntil(`every process to report tools: ${wanted}`, known, WAIT_MS)
}

test('an engine is probed once for all processes, and again after a restart', async (t) => {
  const { engine, probes, restart } = await startToolEngine()
  t.after(() => engine[Symbol.asyncDispose]())
  const engines = [{ name: 'tools', url: engine.url, kind: 'vllm' as const }]
  const environment = await startEnvironment({ engines, valkey: 'own', environment: PROBED })
  t.after(() => environment[Symbol.asyncDispose]())
  const apis = await environment.startApis(3)
  await waitForAll(apis, true)
  assert.equal(probes(), 1)

  engine.die()
  const { key } = await environment.openCaller()
  await using line = openLine(apis[0]!.apiRoot, 1, WAIT_MS)
  const messages = [{ role: 'user', content: 'Hello' }]
  const { status } = await line.chat(key, { model: modelOn('tools'), messages })
  assert.ok(status >= 500, `${status}`)
  await restart()
  await waitForAll(apis, false)
  assert.equal(probes(), 2)
})
