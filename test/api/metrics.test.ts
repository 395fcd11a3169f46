import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type Service } from '../harness/service.ts'

let service: Service

before(async () => {
  service = await startService()
})

after(async () => {
  await service[Symbol.asyncDispose]()
})

test('metrics count requests by status and by whether the response was completed', async () => {
  const { key } = await service.createCaller()
  const ask = (token: string) =>
    fetch(`${service.apiRoot}/models`, { headers: { authorization: `Bearer ${token}` } })
  for (const token of [key, key, 'nonsense']) await (await ask(token)).text()
  const response = await fetch(`${service.healthAddress}/metrics`)
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=/)
  const lines = (await response.text()).split('\n')
  assert.ok(lines.includes('headrace_requests_total{status="200",ended="whole"} 2'))
  assert.ok(lines.includes('headrace_requests_total{status="401",ended="whole"} 1'))
  // The check of an engine's prompt cache uses a slot too.
  assert.ok(lines.some((line) => /^headrace_slots_in_use [01]$/.test(line)))
  assert.ok(lines.includes('headrace_content_dropped_records_total 0'))
})
