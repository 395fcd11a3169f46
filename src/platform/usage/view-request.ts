import type {
  OperatorRequest,
  RequestDetail,
  RequestSummary,
} from '../../contract/management/usage.ts'
import { traceLink } from '../../lib/tracing/trace-context.ts'
import type { Names } from '../../store/ledger/request-names.ts'
import type { Explanation, ExplainedCost } from '../../tenancy/explanation.ts'
import { viewMoney } from '../use-case/view-money.ts'

export type Shown = { readonly names: Names; readonly currency: string }

type ShownDetail = Shown & {
  /** A link with `{trace_id}`; undefined if there is none, or the reader is no operator. */
  readonly traceLink: string | undefined
}

export function viewSummary(explained: Explanation, { names, currency }: Shown): RequestSummary {
  const { error, tokens, cost, credentialId, projectId } = explained
  return {
    id: explained.id,
    made_at: new Date(explained.madeAtMs).toISOString(),
    outcome: explained.outcome,
    project: { id: projectId, name: names.get(projectId) ?? null },
    key: {
      id: credentialId,
      kind: explained.credentialKind,
      name: names.get(credentialId) ?? null,
    },
    member: explained.accountId,
    model: explained.model,
    error: error && {
      status: error.status,
      code: error.code,
      param: error.param,
      limits: error.limits.map(snakeCase),
      checked: error.checked.map(({ name, ...figures }) => ({
        limit: snakeCase(name),
        ...figures,
      })),
      retry_after_ms: error.retryAfterMs,
    },
    tokens: tokens && {
      prompt_tokens: tokens.promptTokens,
      cached_tokens: tokens.cachedTokens,
      completion_tokens: tokens.completionTokens,
      reasoning_tokens: tokens.reasoningTokens,
      basis: tokens.basis,
    },
    cost: cost && viewMoney(cost.amount, currency),
    first_token_ms: explained.timings?.firstTokenMs ?? null,
    duration_ms: explained.timings?.durationMs ?? null,
  }
}

export function viewDetail(explained: Explanation, shown: ShownDetail): RequestDetail {
  const { cost, timings, settledAtMs } = explained
  return {
    ...viewSummary(explained, shown),
    calculation: cost && viewCalculation(cost, shown.currency),
    retention: explained.retention,
    queued_ms: timings?.queuedMs ?? null,
    settled_at: settledAtMs === null ? null : new Date(settledAtMs).toISOString(),
    trace_url: shown.traceLink === undefined ? null : traceLink(shown.traceLink, explained.id),
  }
}

/** With what only the operator may know. */
export function viewForOperator(explained: Explanation, shown: ShownDetail): OperatorRequest {
  const { organizationId, served } = explained
  return {
    ...viewDetail(explained, shown),
    organization: organizationId,
    engine: served?.engine ?? null,
    attempts: served?.attempts ?? null,
    process: served?.instance ?? null,
  }
}

function viewCalculation({ lines, reserved }: ExplainedCost, currency: string) {
  return {
    lines: lines.map(({ of, tokens, price, millionths }) => ({
      of,
      tokens,
      price_per_million: viewMoney(price, currency),
      exact: formatExact(millionths),
    })),
    exact: formatExact(lines.reduce((sum, { millionths }) => sum + millionths, 0n)),
    reserved: reserved === null ? null : viewMoney(reserved, currency),
  }
}

const DECIMALS = 12

/** Millionths of a micro-unit as units of the currency. */
function formatExact(millionths: bigint): string {
  const digits = millionths.toString().padStart(DECIMALS + 1, '0')
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
