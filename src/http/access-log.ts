import type { Log } from '../lib/log.ts'
import { timeOfUuid } from '../lib/uuid.ts'
import type { UsageRecord } from '../tenancy/usage-record.ts'
import type { Call } from './call.ts'
import type { RequestEnd } from './request-end.ts'

export type AccessLog = {
  /** Called before the end of the request whose generation it is. */
  onSettle(record: UsageRecord): void
  onEnd(call: Call, end: RequestEnd): void
}

/**
 * One line at the end of every request: ids, figures and configured names, nothing of a client.
 * All lines have the same fields.
 */
export function createAccessLog(log: Log): AccessLog {
  // Bounded by the requests in progress, and so by the connections.
  const settled = new Map<string, UsageRecord>()
  return {
    onSettle: (record) => void settled.set(record.id, record),
    onEnd(call, { status, ended, code }) {
      const { id: requestId, identity, operation = null, model = null } = call
      const record = settled.get(requestId)
      settled.delete(requestId)
      log.info(
        {
          requestId,
          organizationId: identity?.organization.id ?? null,
          operation,
          status,
          code,
          ended,
          model,
          engine: record?.engine ?? null,
          attempts: record?.attempts ?? null,
          outcome: record?.outcome ?? null,
          queuedMs: record?.queuedMs ?? null,
          firstTokenMs: record?.firstTokenMs ?? null,
          durationMs: Date.now() - timeOfUuid(requestId),
          promptTokens: record?.promptTokens ?? null,
          cachedTokens: record?.cachedTokens ?? null,
          completionTokens: record?.completionTokens ?? null,
          reasoningTokens: record?.reasoningTokens ?? null,
        },
        'request ended',
      )
    },
  }
}
