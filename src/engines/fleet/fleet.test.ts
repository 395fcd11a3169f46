import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError, type Engine } from '../adapters/engine.ts'
import { createFleet } from './fleet.ts'

/** A fleet never calls an engine, so a name and slots are enough. */
function engine(name: string): Engine {
  return { name, slots: 4 } as Engine
}

const { signal } = new AbortController()

/** Whether a prompt goes to another engine after three consecutive failures of the first. */
async function movesAfterFailures(constrained: boolean): Promise<boolean> {
  const fleet = createFleet(new Map([['model', [engine('one'), engine('other')]]]))
  const request = { organizationId: 'a', tokens: 1, prefix: 7, constrained }
  const take = async () => fleet.takeSlot('model', request, signal)
  const first = (await take()).engine
  for (let failures = 0; failures < 3; failures += 1) {
    using slot = await take()
    slot.failed(new EngineError('status', slot.engine.name, '500'), true)
  }
  return (await take()).engine !== first
}

test('an engine is ejected after three consecutive failures', async () => {
  assert.equal(await movesAfterFailures(false), true)
})

test('a schema that an engine cannot compile does not eject it', async () => {
  assert.equal(await movesAfterFailures(true), false)
})
