import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startFakeEngine } from '../../../test/harness/fake-engine/server.ts'
import { slotsOf } from '../../config/slots.ts'
import type { Config } from '../../config/load.ts'
import { askSlots } from './ask-slots.ts'

type Kind = Config['engines'][number]['kind']

/** The slots of an engine with these pages. */
async function slotsWith(
  t: TestContext,
  kind: Kind,
  pages: Readonly<Record<string, object>>,
  slots: number | 'auto' = 'auto',
): Promise<number> {
  const page = (path: string) => pages[path] && JSON.stringify(pages[path])
  const engine = await startFakeEngine(() => undefined, { page })
  t.after(() => engine[Symbol.asyncDispose]())
  const settings = { name: 'one', kind, url: engine.url, slots, prompt_cache: 'auto' as const }
  const [asked] = await askSlots([settings], new Map())
  return slotsOf(asked!)
}

const MODELS = { '/v1/models': { data: [] } }

test('auto slots are what llama-server and SGLang report, over all replicas inside', async (t) => {
  const llama = { ...MODELS, '/props': { total_slots: 7 } }
  assert.equal(await slotsWith(t, 'llama-server', llama), 7)
  const state = { effective_max_running_requests_per_dp: 48 }
  const sglang = { ...MODELS, '/get_server_info': { internal_states: [state, state] } }
  assert.equal(await slotsWith(t, 'sglang', sglang), 96)
})

test('auto slots of an engine that reports none are the default of its kind', async (t) => {
  assert.equal(await slotsWith(t, 'llama-server', {}), 4)
  assert.equal(await slotsWith(t, 'sglang', MODELS), 128)
  assert.equal(await slotsWith(t, 'vllm', MODELS), 256)
})

test('a number of slots is used as it is', async (t) => {
  assert.equal(await slotsWith(t, 'llama-server', { '/props': { total_slots: 7 } }, 5), 5)
})
