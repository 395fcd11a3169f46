import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { waitUntil } from '../../../test/harness/figures/measure.ts'
import { startApiServer } from '../../../test/harness/servers/api-server.ts'
import { createExports } from './send-export.ts'

/** More than the buffers of a connection take, so that a client that does not read holds it up. */
const PART = 'x'.repeat(1_000_000)
const PARTS = 40

async function* partsOf(): AsyncGenerator<string, void> {
  for (let count = 0; count < PARTS; count += 1) yield PART
}

/** The path names the organization. */
async function startExports(pace?: Parameters<typeof createExports>[0], parts = partsOf) {
  const send = createExports(pace)
  return startApiServer((call) => {
    const ownerId = call.request.url ?? ''
    const facts = { contentType: 'text/csv', fileName: 'usage.csv' }
    const record = () => Promise.resolve()
    return send({ ...facts, ownerId, record, parts: parts() }, call)
  })
}

test('an organization runs two exports at once, and those of others go on', async () => {
  await using exports = await startExports()
  const open = async (path: string) => (await exports.open(path)).statusCode
  const statuses = []
  for (let count = 0; count < 16; count += 1) statuses.push(await open('/one'))
  assert.deepEqual(statuses.slice(0, 3), [200, 200, 429])
  assert.equal(new Set(statuses.slice(2)).size, 1)
  assert.equal(await open('/other'), 200)
})

test('a client that reads a little now and then is disconnected', async () => {
  await using exports = await startExports({ graceMs: 500, leastBytesPerMs: 40_000 })
  const response = await exports.open('/one')
  let bytes = 0
  // It reads 3 MB a second, which is not enough: 40 MB must be read within 1.5 s.
  const reading = setInterval(() => {
    bytes += (response.read(64_000) as Buffer | null)?.length ?? 0
  }, 20)
  const begunMs = performance.now()
  await once(response, 'error').finally(() => clearInterval(reading))
  assert.ok(performance.now() - begunMs < 30_000)
  assert.ok(bytes < PARTS * PART.length)
})

test('a client that reads gets the whole', async () => {
  await using exports = await startExports()
  let bytes = 0
  for await (const part of await exports.open('/one')) bytes += (part as Buffer).length
  assert.equal(bytes, PARTS * PART.length)
})

test('nothing is read ahead for a client that does not read', async () => {
  let taken = 0
  let takenAtMs = performance.now()
  async function* endless(): AsyncGenerator<string, void> {
    for (;;) {
      taken += 1
      takenAtMs = performance.now()
      await turn()
      yield PART
    }
  }
  await using exports = await startExports(undefined, endless)
  const response = await exports.open('/one')
  const isQuiet = () => performance.now() - takenAtMs > 500
  await waitUntil('no part to be read for half a second', isQuiet, 30_000)
  // What the buffers of both sockets hold.
  assert.ok(taken < 30, `${taken} MB were read`)
  response.destroy()
})
