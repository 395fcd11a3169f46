import type { Neutralise } from '../engines/adapters/neutralise.ts'
import { defaultOutputTokens } from '../contract/prompt-bound.ts'
import { isObject } from '../lib/is-object.ts'
import { mayUse, type Caller } from '../tenancy/caller.ts'
import { worstCost } from '../tenancy/price.ts'
import type { OpenedRecord, TokenBounds } from '../tenancy/usage-record.ts'
import { promptTokensMax, type ServedModel } from './catalog.ts'
import type { Estimate } from './estimate.ts'
import type { UsageLog } from './track-usage.ts'
import type { ChatBody } from './read-chat-body.ts'

/**
 * The usage record of a request before it is validated, for the model that answers. A `model` that
 * is not served is content, so the record does not contain it; it reserves nothing, because the
 * request will be rejected.
 */
export function openRecord(
  id: string,
  caller: Caller,
  body: ChatBody,
  estimate: Estimate,
  served: ServedModel | undefined,
  { instance }: Pick<UsageLog, 'instance'>,
): OpenedRecord {
  const { organizationId, projectId, accountId, credentialKind, retention, keyLimits } = caller
  const credentialId =
    credentialKind === 'playground' ? (accountId ?? caller.credentialId) : caller.credentialId
  const by = { organizationId, projectId, credentialId, accountId, credentialKind }
  const limitsId = keyLimits?.spendingLimit == null ? {} : { limitsId: keyLimits.id }
  const known = { id, ...by, ...limitsId, retention, instance, counted: true } as const
  const asked = askedOf(body)
  if (asked === undefined || served === undefined)
    return { ...known, model: null, price: null, reserved: 0, ...NO_TOKENS }
  // As for a model outside the plan: the answer will be 404, whatever is left of the funds.
  const { id: model } = served.model
  const price = (mayUse(caller, model) && caller.prices.get(model)) || null
  const bounds = boundsOf(asked, served, estimate)
  const { promptTokensMax: prompt, outputTokensMax: output } = bounds
  const reserved = price === null ? 0 : worstCost(prompt, output, price)
  return { ...known, model, price, reserved, ...bounds }
}

const NO_TOKENS: TokenBounds = { promptTokensMax: 0, outputTokensMax: 0 }

function boundsOf(
  { messages, outputTokens }: Asked,
  served: ServedModel,
  estimate: Estimate,
): TokenBounds {
  const { model, neutralise } = served
  const { context_length: context = Infinity, max_output_tokens: most = Infinity } = model
  const outputTokensMax = Math.min(outputTokens ?? defaultOutputTokens(model), most, context)
  const tokens = promptTokensMax(estimate, served)
  if (tokens >= context) return { promptTokensMax: context, outputTokensMax }
  const grown = tokens + growthOf(messages, neutralise)
  return { promptTokensMax: Math.min(context, grown), outputTokensMax }
}

/** Bytes that `neutralise` adds to break up control tokens. */
function growthOf(value: unknown, neutralise: Neutralise): number {
  if (typeof value === 'string') {
    const neutral = neutralise(value)
    return neutral === value ? 0 : Buffer.byteLength(neutral) - Buffer.byteLength(value)
  }
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, each) => sum + growthOf(each, neutralise), 0)
}

type Asked = {
  readonly messages: unknown
  readonly outputTokens: number | undefined
}

/** Undefined if the body names no model. */
function askedOf(body: ChatBody): Asked | undefined {
  if (!body.read || !isObject(body.value)) return undefined
  const { model, messages, max_tokens, max_completion_tokens } = body.value
  if (typeof model !== 'string') return undefined
  const output = max_tokens ?? max_completion_tokens
  const isCount = typeof output === 'number' && Number.isSafeInteger(output) && output >= 0
  return { messages, outputTokens: isCount ? output : undefined }
}
