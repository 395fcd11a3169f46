import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { openedRecord } from '../../../test/harness/seed/usage-records.ts'
import { connectValkey, startValkey } from '../../../test/harness/servers/valkey.ts'
import type { OpenedRecord } from '../../tenancy/usage-record.ts'
import { createOpenRecords } from './open-records.ts'
import { organizationKeys, partitionOf } from '../valkey/keys.ts'
import { type Valkey } from '../valkey/valkey.ts'

const server = await startValkey()
const valkey = await connectValkey([server.url])
const records = createOpenRecords(valkey)

endWithFile(valkey, server)

async function open(lease = '1'): Promise<OpenedRecord> {
  const opened = openedRecord()
  const keys = organizationKeys(opened.organizationId)
  await valkey.call('HSET', [keys.open, opened.id, JSON.stringify(opened)])
  await valkey.call('HSET', [keys.leases, opened.instance, lease])
  return opened
}

function streamLength({ organizationId }: OpenedRecord): Promise<unknown> {
  return valkey.call('XLEN', [organizationKeys(organizationId).usage])
}

test('concurrent calls close a request once', async () => {
  const opened = await open()
  const closings = Array.from({ length: 3 }, () => records.close(opened, '1'))
  assert.equal((await Promise.all(closings)).filter(Boolean).length, 1)
  assert.equal(await streamLength(opened), 1)
})

test('a request with a newer checkpoint is not closed with older counts', async () => {
  const opened = await open()
  const { progress } = organizationKeys(opened.organizationId)
  const racing: Pick<Valkey, 'call'> = {
    async call(command, args) {
      const reply = await valkey.call(command, args)
      if (command === 'HGET') await valkey.call('HSET', [progress, opened.id, '9,0,9,0'])
      return reply
    },
  }
  assert.equal(await createOpenRecords(racing).close(opened, '1'), false)
  assert.equal(await streamLength(opened), 0)
  assert.equal(await records.close(opened, '1'), true)
})

test('a renewed lease is not deleted', async () => {
  const { organizationId, instance } = await open('2')
  const partition = partitionOf(organizationId)
  await records.forgetLease(partition, instance, '1')
  assert.equal((await records.inspect(partition)).leases.get(instance), '2')
  await records.forgetLease(partition, instance, '2')
  assert.equal((await records.inspect(partition)).leases.size, 0)
})

test('all open requests are listed, however many there are', async () => {
  const opened = openedRecord()
  const { open: key } = organizationKeys(opened.organizationId)
  const many = Array.from({ length: 2_000 }, () => ({ ...opened, id: openedRecord().id }))
  for (const each of many) await valkey.call('HSET', [key, each.id, JSON.stringify(each)])
  const listed = new Set<string>()
  for await (const entries of records.list(partitionOf(opened.organizationId)))
    for (const { id } of entries) listed.add(id)
  assert.deepEqual(listed, new Set(many.map(({ id }) => id)))
})
