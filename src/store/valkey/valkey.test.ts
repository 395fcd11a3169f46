import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectValkey, startValkey } from '../../../test/harness/servers/valkey.ts'
import { organizationKeys, partitionKeys, partitionOf } from './keys.ts'
import { ValkeyUnavailable, ValkeyReplyError, openValkey } from './valkey.ts'

test('an error reply of the server carries its code', async () => {
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url])
  await valkey.call('SET', ['key', 'text'])
  await assert.rejects(valkey.call('HGET', ['key', 'field']), (error) => {
    return error instanceof ValkeyReplyError && error.code === 'WRONGTYPE'
  })
})

test('without a connection a command fails at once and is not queued', async () => {
  await using server = await startValkey()
  await using valkey = openValkey([server.url])
  await assert.rejects(valkey.call('SET', ['early', '1']), ValkeyUnavailable)
  await valkey.connected(10_000)
  assert.equal(await valkey.call('EXISTS', ['early']), 0)
})

test('commands to a frozen server time out, and succeed again once it thaws', async () => {
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url])
  server.freeze()
  const startedMs = performance.now()
  await assert.rejects(valkey.call('PING', []), ValkeyUnavailable)
  assert.equal(await valkey.isReady(), false)
  // One timeout of a second, and as much again for a busy machine.
  assert.ok(performance.now() - startedMs < 2000)
  server.thaw()
  await valkey.connected(10_000)
  assert.equal(await valkey.isReady(), true)
  // Writes to a frozen server must not pile up, so its connection was closed too.
  const stats = String(await valkey.call('INFO', ['stats']))
  assert.ok(Number(/total_connections_received:(\d+)/.exec(stats)?.[1]) > 1)
})

test('a command pending when the connection is lost fails, and is not sent again', async () => {
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url], { timeoutMs: 60_000 })
  const blocked = assert.rejects(valkey.call('BLPOP', ['nothing', 0]), ValkeyUnavailable)
  await server.kill()
  await using again = await startValkey({ port: Number(new URL(server.url).port) })
  await valkey.connected(10_000)
  await blocked
  await using other = await connectValkey([again.url])
  assert.match(String(await other.call('INFO', ['clients'])), /blocked_clients:0/)
})

test('a primary that became a replica counts as unavailable', async () => {
  await using server = await startValkey()
  await using valkey = await connectValkey([server.url])
  await valkey.call('REPLICAOF', ['127.0.0.1', 1])
  await assert.rejects(valkey.call('SET', ['key', '1']), ValkeyUnavailable)
  await valkey.connected(10_000)
  const script = "return redis.call('SET', KEYS[1], '1')"
  await assert.rejects(valkey.call('EVAL', [script, 1, 'key']), ValkeyUnavailable)
})

test('waiting for an unreachable server ends with the timeout', async () => {
  await using server = await startValkey()
  await server.kill()
  await using valkey = openValkey([server.url])
  await assert.rejects(valkey.connected(100), ValkeyUnavailable)
})

test('closing waits for a frozen server no longer than the timeout', async () => {
  await using server = await startValkey()
  const valkey = await connectValkey([server.url])
  server.freeze()
  const startedMs = performance.now()
  await valkey[Symbol.asyncDispose]()
  assert.ok(performance.now() - startedMs < 2000)
  await assert.rejects(valkey.call('PING', []), ValkeyUnavailable)
})

test('the key names and the partition of an organization never change', () => {
  const organizationId = '0198c5a0-7d3e-7000-8000-000000000000'
  assert.equal(partitionOf(organizationId), 5)
  assert.deepEqual(organizationKeys(organizationId), {
    limits: `{p05}:limits:${organizationId}`,
    version: `{p05}:version:${organizationId}`,
    funds: `{p05}:funds:${organizationId}`,
    key: '{p05}:key:',
    refused: `{p05}:refused:${organizationId}`,
    ...partitionKeys(5),
  })
  for (const key of Object.values(partitionKeys(5))) assert.match(key, /^\{p05\}:[a-z]+:?$/)
})
