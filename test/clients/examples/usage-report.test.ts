import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { postUsage } from '../../../src/store/ledger/usage-records.ts'
import { uuidV7 } from '../../../src/lib/uuid.ts'
import { startConsole } from '../../harness/processes/console.ts'
import { logged, usageRecord } from '../../harness/seed/usage-records.ts'
import { PYTHON } from '../openai-python/install.ts'

const EXAMPLE = join(import.meta.dirname, '../../../examples/usage_report.py')

test('usage_report.py prints what projects used this month', async () => {
  await using console_ = await startConsole()
  const { id: organizationId, projectId } = await console_.openOrganization()
  const owner = await console_.openPerson({ organizationId, role: 'owner' })
  const record = usageRecord({ id: uuidV7(), organizationId, projectId })
  await postUsage(console_.postgres.pool, [logged(record)])
  const facts = { createdBy: owner.accountId, organizationId, scopes: ['usage:read'] }
  const { authorization = '' } = await console_.openManagementKey(facts)
  const env = {
    CONSOLE: console_.root.replace(/\/management\/v1$/, ''),
    MANAGEMENT_KEY: authorization.replace('Bearer ', ''),
  }
  const { stdout } = await promisify(execFile)(PYTHON, [EXAMPLE, organizationId], { env })
  const [head, row = '', ...others] = stdout.trimEnd().split('\n')
  assert.equal(head, 'project\tmodel\trequests\ttokens\tcost')
  assert.deepEqual(others, [])
  const [project, model, requests] = row.split('\t')
  assert.deepEqual([project, model, requests], ['default', record.model, '1'])
})
