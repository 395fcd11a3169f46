import type { UsageEvent } from '../../contract/usage-event.ts'
import { timeOfUuid } from '../../lib/uuid.ts'
import type { PostedRecord } from '../../store/ledger/usage-reports.ts'
import { formatAmount } from '../../tenancy/money/amount.ts'

export type Sender = { readonly source: string; readonly currency: string }

/** Converts a usage record to a CloudEvent. */
export function toEvent(record: PostedRecord, { source, currency }: Sender): UsageEvent {
  return {
    specversion: '1.0',
    id: record.id,
    source,
    type: 'headrace.usage.v1',
    subject: record.organizationId,
    time: new Date(timeOfUuid(record.id)).toISOString(),
    datacontenttype: 'application/json',
    data: {
      organization_id: record.organizationId,
      project_id: record.projectId,
      credential_id: record.credentialId,
      model: record.model,
      prompt_tokens: record.promptTokens,
      cached_tokens: record.cachedTokens,
      completion_tokens: record.completionTokens,
      reasoning_tokens: record.reasoningTokens,
      cost: formatAmount(record.cost),
      cost_micro: record.cost,
      currency,
      outcome: record.outcome,
      basis: record.basis,
      settled_at: record.settledAt.toISOString(),
    },
  }
}
