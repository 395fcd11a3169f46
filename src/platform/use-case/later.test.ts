import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLater } from './later.ts'

const LOG = { error: () => {} } as never

/** A queue whose two places are taken until `free` is called. */
function openTaken() {
  const later = openLater(LOG)
  const { promise, resolve: free } = Promise.withResolvers<void>()
  later.add('first', () => promise)
  later.add('second', () => promise)
  return { later, free }
}

test('a client that floods replaces its own work, never that of somebody else', async () => {
  const { later, free } = openTaken()
  const done: string[] = []
  const add = (client: string, name: string) => later.add(client, async () => void done.push(name))
  for (let count = 0; count < 2_000; count += 1) add('flood', `flood ${count}`)
  add('person', 'person')
  for (let count = 2_000; count < 4_000; count += 1) add('flood', `flood ${count}`)
  free()
  await later[Symbol.asyncDispose]()
  assert.deepEqual(
    [done.includes('person'), done.includes('flood 3999'), done.length],
    [true, true, 21],
  )
})

test('all clients together have a bound', async () => {
  const { later, free } = openTaken()
  const done: number[] = []
  for (let count = 0; count < 2_000; count += 1)
    later.add(`client ${count}`, async () => void done.push(count))
  free()
  await later[Symbol.asyncDispose]()
  assert.ok(done.length >= 998 && done.length <= 1_000, String(done.length))
})
