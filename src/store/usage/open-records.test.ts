import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openedRecord } from '../../../test/harness/usage-records.ts'
import { connectValkey, startValkey, type ValkeyServer } from '../../../test/harness/valkey.ts'
import type { OpenedRecord } from '../../tenancy/usage-record.ts'
import { createOpenRecords, type OpenRecords } from './open-records.ts'
import { organizationKeys, partitionOf } from '../valkey/keys.ts'
import { type Valkey } from '../valkey/valkey.ts'

let server: ValkeyServer
let valkey: Valkey
let records: OpenRecords

before(async () => {
  server = await startValkey()
  valkey = await connectValkey([server.url])
  records = createOpenRecords(valkey)
})

after(async () => {
  await valkey[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

async function open(lease = '1'): Promise<OpenedRecord> {
  const opened = openedRecord()
  const keys = organizationKeys(opened.organizationId)
  await valkey.call('HSET', [keys.open, opened.id, JSON.stringify(opened)])
  await valkey.call('HSET', [keys.leases, opened.instance, lease])
  return opened
}

function written({ organizationId }: OpenedRecord): Promise<unknown> {
  return valkey.call('XLEN', [organizationKeys(organizationId).usage])
}

test('a request is closed once, however often it is asked for', async () => {
  const opened = await open()
  const closings = Array.from({ length: 3 }, () => records.close(opened, '1'))
  assert.equal((await Promise.all(closings)).filter(Boolean).length, 1)
  assert.equal(await written(opened), 1)
})

test('a request that came further meanwhile is not closed on what it had before', async () => {
  const opened = await open()
  const { progress } = organizationKeys(opened.organizationId)
  const behind: Pick<Valkey, 'call'> = {
    async call(command, args) {
      const answer = await valkey.call(command, args)
      if (command === 'HGET') await valkey.call('HSET', [progress, opened.id, '9,0,9,0'])
      return answer
    },
  }
  assert.equal(await createOpenRecords(behind).close(opened, '1'), false)
  assert.equal(await written(opened), 0)
  assert.equal(await records.close(opened, '1'), true)
})

test('a lease that was renewed is not forgotten', async () => {
  const { organizationId, instance } = await open('2')
  const partition = partitionOf(organizationId)
  await records.forgetLease(partition, instance, '1')
  assert.equal((await records.look(partition)).leases.get(instance), '2')
  await records.forgetLease(partition, instance, '2')
  assert.equal((await records.look(partition)).leases.size, 0)
})

test('all that is open is listed, however much it is', async () => {
  const opened = openedRecord()
  const { open: key } = organizationKeys(opened.organizationId)
  const many = Array.from({ length: 2_000 }, () => ({ ...opened, id: openedRecord().id }))
  for (const each of many) await valkey.call('HSET', [key, each.id, JSON.stringify(each)])
  const listed = new Set<string>()
  for await (const entries of records.list(partitionOf(opened.organizationId)))
    for (const { id } of entries) listed.add(id)
  assert.deepEqual(listed, new Set(many.map(({ id }) => id)))
})
