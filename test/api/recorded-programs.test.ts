import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { startObligingEngine } from '../harness/fake-engine/obliging.ts'
import { withLargeModel } from '../harness/programs/bench.ts'
import { readRecordings, type RecordedRequest } from '../harness/programs/recording.ts'
import { startService } from '../harness/processes/service.ts'
import { createClient, type ErrorFields } from './client.ts'

await using starting = new AsyncDisposableStack()
const engine = starting.use(await startObligingEngine())
const service = starting.use(await startService((config) => withLargeModel(config, engine)))
const { key } = await service.createCaller()
const client = starting.use(createClient(service, key))
const running = starting.move()
after(() => running.disposeAsync())

async function outcomeOf({ path = '/chat/completions', body }: RecordedRequest) {
  const headers = { 'content-type': 'application/json' }
  const text = JSON.stringify(body)
  const answer = await client.send({ method: 'POST', path, key, headers, body: text })
  if (answer.status === 200) return 200
  const { code, param } = (JSON.parse(answer.text) as { error: ErrorFields }).error
  return { status: answer.status, code, param }
}

for (const [name, { program, version, requests }] of readRecordings()) {
  describe(`${program} ${version}`, () => {
    test('has requests', () => assert.notEqual(requests.length, 0, name))

    for (const [index, request] of requests.entries()) {
      const { expected, check } = request
      const result = expected === 200 ? '200' : `${expected.status} ${expected.code}`
      test(`request ${index + 1} (${check}) is answered with ${result}`, async () => {
        assert.deepEqual(await outcomeOf(request), expected)
      })
    }
  })
}
