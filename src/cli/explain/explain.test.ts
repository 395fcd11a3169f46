import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { createCommands } from '../../../test/harness/processes/command.ts'
import { openOrganization } from '../../../test/harness/seed/tenants.ts'
import { INSTANCE, logged, usageRecord } from '../../../test/harness/seed/usage-records.ts'
import { connectValkey } from '../../../test/harness/servers/valkey.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { postUsage } from '../../store/ledger/usage-records.ts'
import { openPostgres } from '../../store/postgres/postgres.ts'
import { findOrganization } from '../../store/tenants/organizations.ts'
import { openRefusals } from '../../store/usage/refusals.ts'

const commands = await createCommands()
const postgres = openPostgres(commands.databaseUrl, { queryTimeoutMs: 30_000 })

endWithFile(postgres, commands)

test('a request is explained with what served it, as the management API does', async () => {
  const { id: organizationId } = await openOrganization(postgres.database, 'free')
  const { slug } = await findOrganization(postgres.database, organizationId)
  const record = usageRecord({ organizationId, engine: 'one' })
  await postUsage(postgres.pool, [logged(record)])
  const explained = await commands.answer('explain', record.id)
  assert.deepEqual(
    [explained['id'], explained['engine'], explained['process'], explained['organization']],
    [record.id, 'one', INSTANCE, organizationId],
  )
  const { stdout } = await commands.run(['explain', record.id])
  assert.match(stdout, /^Cost +0\.00014 USD = .* per million.* = 0\.000140000000/m)
  assert.match(stdout, new RegExp(`^Served by +engine one, process ${INSTANCE}$`, 'm'))
  assert.match(stdout, new RegExp(`^Organization +${slug} \\(${organizationId}\\)$`, 'm'))
  const trace = `https://traces.example.com/${record.id.replaceAll('-', '')}`
  assert.match(stdout, new RegExp(`^Trace +${trace}$`, 'm'))
})

test('a refusal is found with its organization, and an unknown id says what to do', async () => {
  const { id: organizationId, projectId } = await openOrganization(postgres.database, 'free')
  await using valkey = await connectValkey([commands.valkeyUrl])
  await using log = openRefusals(valkey)
  const id = uuidV7()
  log.note({
    id,
    organizationId,
    projectId,
    credentialId: crypto.randomUUID(),
    credentialKind: 'api_key',
    accountId: null,
    status: 402,
    code: 'insufficient_balance',
    param: null,
    model: null,
    limits: [],
    retryAfterMs: null,
  })
  await log.flush()
  const unnamed = await commands.run(['explain', id])
  assert.equal(unnamed.code, 1)
  assert.match(unnamed.stderr, /no such request is known; .*--organization/)
  const { stdout } = await commands.run(['explain', id, '--organization', organizationId])
  assert.match(stdout, /^Outcome +refused$/m)
  assert.match(stdout, /^Error +402 insufficient_balance$/m)
})
