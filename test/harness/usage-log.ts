import assert from 'node:assert/strict'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import { type Valkey } from '../../src/store/valkey/valkey.ts'
import type { OpenedRecord, UsageCounts, UsageRecord } from '../../src/tenancy/usage-record.ts'
import { usageRecord } from './usage-records.ts'

const TIMEOUT_MS = 10_000

export async function readHash(valkey: Valkey, key: string): Promise<Record<string, string>> {
  const fields = (await valkey.call('HGETALL', [key])) as string[]
  const pairs = fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1] ?? '']] : []))
  return Object.fromEntries(pairs) as Record<string, string>
}

export async function readUsage(
  valkey: Valkey,
  { organizationId }: Pick<OpenedRecord, 'organizationId'>,
): Promise<UsageRecord[]> {
  const { usage } = organizationKeys(organizationId)
  const entries = (await valkey.call('XRANGE', [usage, '-', '+'])) as [string, string[]][]
  const records = entries.map(([, [, record = '']]) => JSON.parse(record) as UsageRecord)
  return records.filter((record) => record.organizationId === organizationId)
}

export function countsOf(promptTokens: number, completionTokens: number): UsageCounts {
  return { promptTokens, cachedTokens: 0, completionTokens, reasoningTokens: 0 }
}

export function endOf(opened: OpenedRecord, counts: UsageCounts = countsOf(10, 5)): UsageRecord {
  const { id, organizationId, projectId, credentialId, price } = opened
  return usageRecord({ id, organizationId, projectId, credentialId, price, ...counts })
}

export async function waitFor(holds: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + TIMEOUT_MS
  while (!(await holds())) assert.ok(performance.now() < deadlineMs, 'it did not come in time')
}
