import { randomUUID } from 'node:crypto'
import { uuidV7 } from '../../src/lib/uuid.ts'
import type { LoggedUsage } from '../../src/store/ledger/usage-records.ts'
import { partitionOf } from '../../src/store/valkey/keys.ts'
import { costOf } from '../../src/tenancy/price.ts'
import type { OpenedRecord, UsageRecord } from '../../src/tenancy/usage-record.ts'

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
    firstPieceMs: 20,
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
    reserved: 1_000,
    instance: 'instance-1',
    ...given,
  }
}
