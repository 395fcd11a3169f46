import { randomUUID } from 'node:crypto'
import { uuidV7 } from '../../../src/lib/uuid.ts'
import type { LoggedUsage } from '../../../src/store/ledger/usage-records.ts'
import { organizationKeys, partitionOf } from '../../../src/store/valkey/keys.ts'
import type { Valkey } from '../../../src/store/valkey/valkey.ts'
import { costOf } from '../../../src/tenancy/price.ts'
import type { OpenedRecord, UsageCounts, UsageRecord } from '../../../src/tenancy/usage-record.ts'

/** The process of records that do not name another. */
export const INSTANCE = '00000000-0000-4000-8000-000000000001'

/** A price that makes every token count. */
export const PRICE = { input: 1_000_000, cachedInput: 500_000, output: 3_000_000 }

/** A usage record of an organization of its own, but for what the test says. */
export function usageRecord(given: Partial<UsageRecord> = {}): UsageRecord {
  const settledAtMs = given.settledAtMs ?? Date.now()
  const record = {
    id: uuidV7(settledAtMs),
    organizationId: randomUUID(),
    projectId: randomUUID(),
    credentialId: randomUUID(),
    accountId: randomUUID(),
    credentialKind: 'api_key',
    retention: 'zero',
    reserved: 1_000,
    attempts: 1,
    instance: INSTANCE,
    model: 'example/large',
    price: PRICE,
    promptTokens: 100,
    cachedTokens: 40,
    completionTokens: 20,
    reasoningTokens: 5,
    engine: 'one',
    outcome: 'completed',
    basis: 'engine',
    queuedMs: 1,
    firstTokenMs: 20,
    durationMs: 300,
    settledAtMs,
    ...given,
  } as const
  const cost = given.cost ?? (record.price === null ? 0 : costOf(record, record.price))
  return { ...record, cost }
}

/** The record as it stands in the usage log. */
export function logged(record: UsageRecord): LoggedUsage {
  return { record, partition: partitionOf(record.organizationId) }
}

export function openedRecord(given: Partial<OpenedRecord> = {}): OpenedRecord {
  return {
    id: uuidV7(),
    organizationId: randomUUID(),
    projectId: randomUUID(),
    credentialId: randomUUID(),
    model: 'example/large',
    price: PRICE,
    accountId: randomUUID(),
    credentialKind: 'api_key',
    retention: 'zero',
    reserved: 1_000,
    promptTokensMax: 1_000_000,
    outputTokensMax: 1_000_000,
    instance: INSTANCE,
    counted: true,
    ...given,
  }
}

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
  const { model: _model, counted: _counted, ...known } = opened
  return usageRecord({ ...known, ...counts })
}
