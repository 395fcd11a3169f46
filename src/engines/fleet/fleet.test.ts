import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError, type Engine } from '../adapters/engine.ts'
import { createFleet } from './fleet.ts'

/** A fleet chooses and counts; it never calls an engine, so a name and slots are all it needs. */
function engine(name: string): Engine {
  return { name, slots: 4 } as Engine
}

const { signal } = new AbortController()

/** Which engine the same prompt goes to after the first one failed it three times in a row. */
async function movesAfterFailures(constrained: boolean): Promise<boolean> {
  const fleet = createFleet(new Map([['model', [engine('one'), engine('other')]]]))
  const ask = { organizationId: 'a', tokens: 1, prefix: 7, constrained }
  const take = async () => fleet.takeSlot('model', ask, signal)
  const first = (await take()).engine
  for (let fault = 0; fault < 3; fault += 1) {
    using slot = await take()
    slot.failed(new EngineError('status', slot.engine.name, '500'), true)
  }
  return (await take()).engine !== first
}

test('an engine that fails three times in a row is left alone', async () => {
  assert.equal(await movesAfterFailures(false), true)
})

test('a schema that an engine cannot compile does not count against it', async () => {
  assert.equal(await movesAfterFailures(true), false)
})
