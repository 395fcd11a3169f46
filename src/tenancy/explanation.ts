import type { CheckedLimit } from '../contract/error.ts'
import { timeOfUuid } from '../lib/uuid.ts'
import type { CredentialKind } from './plan.ts'
import { costLines, type CostLine } from './price.ts'
import type { Refusal } from './refusal.ts'
import type { Retention } from './retention.ts'
import type { UsageBasis, UsageCounts, UsageOutcome, UsageRecord } from './usage-record.ts'

/** What became of one request, for the people it belongs to. Null: unknown, or there was none. */
export type Explanation = {
  readonly id: string
  readonly madeAtMs: number
  readonly outcome: UsageOutcome | 'refused'
  readonly organizationId: string
  readonly projectId: string
  /** Of a playground credential: its account. */
  readonly credentialId: string
  readonly credentialKind: CredentialKind | null
  readonly accountId: string | null
  readonly model: string | null
  readonly error: ExplainedError | null
  readonly tokens: (UsageCounts & { readonly basis: UsageBasis }) | null
  readonly cost: ExplainedCost | null
  readonly retention: Retention | null
  readonly timings: {
    readonly queuedMs: number | null
    readonly firstTokenMs: number | null
    readonly durationMs: number | null
  } | null
  readonly settledAtMs: number | null
  /** For operators only. */
  readonly served: {
    readonly engine: string | null
    readonly attempts: number | null
    readonly instance: string | null
  } | null
}

export type ExplainedError = {
  readonly status: number
  readonly code: string
  readonly param: string | null
  readonly limits: readonly string[]
  readonly checked: readonly CheckedLimit[]
  readonly retryAfterMs: number | null
}

export type ExplainedCost = {
  /** In micro-units. */
  readonly amount: number
  readonly reserved: number | null
  /** Of which the amount is the sum, rounded down to whole micro-units; empty without a price. */
  readonly lines: readonly CostLine[]
}

/** From what is known: a usage record, a refusal, or both for a generation that failed. */
export function explain(
  record: UsageRecord | undefined,
  refusal: Refusal | undefined,
): Explanation {
  const known = record ?? refusal
  if (known === undefined) throw new Error('nothing is known of the request')
  const { id, organizationId, projectId, credentialId, credentialKind, accountId, model } = known
  return {
    id,
    madeAtMs: timeOfUuid(id),
    outcome: record?.outcome ?? 'refused',
    organizationId,
    projectId,
    credentialId,
    credentialKind,
    accountId,
    model,
    error: refusal === undefined ? null : errorOf(refusal),
    tokens: record === undefined ? null : tokensOf(record),
    cost: record === undefined ? null : explainCost(record),
    retention: record?.retention ?? null,
    timings: record === undefined ? null : timingsOf(record),
    settledAtMs: record?.settledAtMs ?? null,
    served: record === undefined ? null : servedBy(record),
  }
}

function errorOf({ status, code, param, limits, checked, retryAfterMs }: Refusal): ExplainedError {
  return { status, code, param, limits, checked: checked ?? [], retryAfterMs }
}

function tokensOf(record: UsageRecord): Explanation['tokens'] {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens, basis } = record
  return { promptTokens, cachedTokens, completionTokens, reasoningTokens, basis }
}

function explainCost(record: UsageRecord): ExplainedCost {
  const { cost: amount, reserved, price } = record
  return { amount, reserved, lines: price === null ? [] : costLines(record, price) }
}

function timingsOf({ queuedMs, firstTokenMs, durationMs }: UsageRecord): Explanation['timings'] {
  return { queuedMs, firstTokenMs, durationMs }
}

function servedBy({ engine, attempts, instance }: UsageRecord): Explanation['served'] {
  return { engine, attempts, instance }
}
