import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import type { LiveLimits } from '../../contract/management/usage.ts'
import { startApiServer } from '../../../test/harness/servers/api-server.ts'
import type { LimitsWatch } from '../usage/watch-limits.ts'
import { createLimitsEvents } from './send-limits-events.ts'

const FULL = { limit: 10, remaining: 10, reset_ms: 0 }
const START_MS = Date.UTC(2026, 4, 1)

function limitsAt(ms: number, remaining: number): LiveLimits {
  return {
    at: new Date(START_MS + ms).toISOString(),
    requests_per_minute: FULL,
    requests_per_day: { limit: 10, remaining, reset_ms: 50_000 - ms },
    tokens_per_minute: FULL,
    tokens_per_day: FULL,
    running: 0,
    concurrent_requests: null,
    concurrent_requests_per_key: null,
    concurrent_requests_per_model: {},
    balance: null,
    reserved: null,
  }
}

async function startEvents(watchOf: () => LimitsWatch, options: object = {}) {
  const send = createLimitsEvents(options)
  return startApiServer((call) => send(watchOf(), call))
}

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8')
  let text = ''
  for await (const part of response) text += part as string
  return text
}

test('an event is sent when more than the time changed, until the right is lost', async () => {
  const reads = [limitsAt(0, 9), limitsAt(1_000, 9), limitsAt(2_000, 8)]
  let renewals = 0
  const watch: LimitsWatch = {
    watcher: 'one',
    organizationId: 'one',
    read: async () => reads.shift() ?? limitsAt(3_000, 8),
    async renew() {
      renewals += 1
      if (renewals === 4) throw new Error('the session ended')
    },
  }
  await using events = await startEvents(() => watch, { renewMs: 0, intervalMs: 20 })
  const text = await textOf(await events.open())
  const data = [...text.matchAll(/^data: (.*)$/gm)].map(
    ([, json]) => JSON.parse(json!) as LiveLimits,
  )
  assert.deepEqual(
    data.map(({ requests_per_day: { remaining } }) => remaining),
    [9, 8],
  )
  assert.equal(renewals, 4)
})

test('streams are bounded per watcher and per process, and a closed one makes room', async () => {
  let watcher = 'one'
  const watchOf = (): LimitsWatch => ({
    watcher,
    organizationId: 'one',
    read: async () => limitsAt(0, 1),
    renew: async () => undefined,
  })
  await using events = await startEvents(watchOf, { streamsMax: 5 })
  const open = [await events.open(), await events.open(), await events.open(), await events.open()]
  assert.deepEqual(
    open.map(({ statusCode }) => statusCode),
    [200, 200, 200, 200],
  )
  assert.equal((await events.open()).statusCode, 429)
  watcher = 'two'
  const fifth = await events.open()
  assert.equal(fifth.statusCode, 200)
  assert.equal((await events.open()).statusCode, 503)
  const closed = once(open[0]!, 'close')
  open[0]!.destroy()
  await closed
  // The server learns of it in a later turn.
  for (let status: number | undefined; status !== 200;) status = (await events.open()).statusCode
})

test('an organization has 20 streams, however many watch it, and others have theirs', async () => {
  let [opened, organizationId] = [0, 'one']
  const watchOf = (): LimitsWatch => ({
    watcher: `watcher ${(opened += 1)}`,
    organizationId,
    read: async () => limitsAt(0, 1),
    renew: async () => undefined,
  })
  await using events = await startEvents(watchOf)
  for (let count = 0; count < 20; count += 1) assert.equal((await events.open()).statusCode, 200)
  assert.equal((await events.open()).statusCode, 429)
  organizationId = 'two'
  assert.equal((await events.open()).statusCode, 200)
})
