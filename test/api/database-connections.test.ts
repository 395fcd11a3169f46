import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiKey } from '../../src/tenancy/api-key.ts'
import { countServingConnections } from '../../src/store/postgres/serving-connections.ts'
import { request, startApi } from './start.ts'

const CALLERS = 50

test('a process opens no more connections to PostgreSQL than it is configured to', async () => {
  await using api = await startApi((config) => ({ ...config, database: { connections: 2 } }))
  const keys = Array.from({ length: CALLERS }, () => createApiKey('headrace'))
  const answers = await Promise.all(keys.map((key) => api.client.chat(request(), { key })))
  assert.ok(answers.every(({ status }) => status === 401))
  const count = await countServingConnections(api.service.postgres.pool)
  assert.ok(count >= 1 && count <= 2, `${count}`)
})
