import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openedRecord, usageRecord } from '../../../test/harness/seed/usage-records.ts'
import { readOpened } from './open-records.ts'
import { readUsageRecord } from './read-usage-record.ts'

const OPENED_SINCE = ['accountId', 'credentialKind', 'retention']
const SETTLED_SINCE = [...OPENED_SINCE, 'reserved', 'attempts', 'instance']

function without(record: object, names: readonly string[]): string {
  return JSON.stringify({
    ...record,
    ...Object.fromEntries(names.map((name) => [name, undefined])),
  })
}

function nulled(record: object, names: readonly string[]): object {
  return { ...record, ...Object.fromEntries(names.map((name) => [name, null])) }
}

test('records of the release before are read, and what they lack is null', () => {
  const record = usageRecord()
  assert.deepEqual(readUsageRecord(JSON.stringify(record)), record)
  const old = readUsageRecord(without(record, SETTLED_SINCE))
  assert.deepEqual(old, nulled(record, SETTLED_SINCE))
  const opened = openedRecord()
  assert.deepEqual(readOpened(opened.id, JSON.stringify(opened)), opened)
  const oldOpened = readOpened(opened.id, without(opened, OPENED_SINCE))
  assert.deepEqual(oldOpened, nulled(opened, OPENED_SINCE))
})

test('a record with facts that no column can store is not read', () => {
  for (const wrong of [
    { accountId: 'someone' },
    { credentialKind: 'session' },
    { retention: 'for ever' },
    { reserved: -1 },
    { attempts: 40_000 },
    { instance: '' },
  ])
    assert.equal(readUsageRecord(JSON.stringify({ ...usageRecord(), ...wrong })), undefined)
})
