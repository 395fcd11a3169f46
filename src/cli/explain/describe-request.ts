import type { OperatorRequest } from '../../contract/management/usage.ts'
import type { Printable } from '../print.ts'

/** What became of a request, in lines for people. What does not apply to it is left out. */
export function describeRequest(request: OperatorRequest, slug: string): Printable {
  const lines: Record<string, string | readonly string[] | undefined> = {
    Request: request.id,
    'Made at': request.made_at,
    Outcome: request.outcome,
    Error: describeError(request),
    'Limits exceeded': describeLimits(request),
    'Retry after': describeMs(request.error?.retry_after_ms),
    Organization: `${slug} (${request.organization})`,
    Project: describeNamed(request.project),
    Key: describeKey(request),
    Member: request.member ?? undefined,
    Model: request.model ?? undefined,
    'Served by': describeServer(request),
    Times: describeTimes(request),
    Tokens: describeTokens(request),
    Cost: describeCost(request),
    Retention: request.retention ?? undefined,
    'Settled at': request.settled_at ?? undefined,
    Trace: request.trace_url ?? undefined,
  }
  const known = Object.entries(lines).filter(([, text]) => text !== undefined)
  return Object.fromEntries(known) as Printable
}

function describeError({ error }: OperatorRequest): string | undefined {
  if (error === null) return undefined
  const { status, code, param } = error
  return `${status} ${code}${param === null ? '' : `, parameter ${param}`}`
}

function describeLimits({ error }: OperatorRequest): string | undefined {
  if (error === null || error.limits.length === 0) return undefined
  const described = error.limits.map((name) => {
    const checked = error.checked.find(({ limit }) => limit === name)
    if (checked === undefined) return name
    return `${name} (${checked.needed} needed, ${checked.left} of ${checked.of} left)`
  })
  return described.join(', ')
}

function describeNamed({ id, name }: { readonly id: string; readonly name: string | null }) {
  return name === null ? id : `${name} (${id})`
}

function describeKey({ key }: OperatorRequest): string {
  return key.kind === 'playground' ? `playground, ${describeNamed(key)}` : describeNamed(key)
}

function describeServer({ engine, attempts, process }: OperatorRequest): string | undefined {
  if (engine === null && process === null) return undefined
  const tried = attempts !== null && attempts > 1 ? `, after ${attempts} attempts` : ''
  return `engine ${engine ?? 'none'}${tried}, process ${process ?? 'unknown'}`
}

function describeTimes(request: OperatorRequest): string | undefined {
  const times = [
    ['queued', request.queued_ms],
    ['first token', request.first_token_ms],
    ['total', request.duration_ms],
  ] as const
  const known = times.flatMap(([name, ms]) => (ms === null ? [] : [`${name} ${ms} ms`]))
  return known.length === 0 ? undefined : known.join(', ')
}

function describeTokens({ tokens }: OperatorRequest): string | undefined {
  if (tokens === null) return undefined
  const input = `${tokens.prompt_tokens} input (${tokens.cached_tokens} cached)`
  const output = `${tokens.completion_tokens} output (${tokens.reasoning_tokens} reasoning)`
  return `${input}, ${output}; basis: ${tokens.basis}`
}

function describeCost({ cost, calculation }: OperatorRequest): string | undefined {
  if (cost === null) return undefined
  const amount = `${cost.amount} ${cost.currency}`
  if (calculation === null) return amount
  const { lines, exact, reserved } = calculation
  const terms = lines.map(({ of, tokens, price_per_million: price }) => {
    return `${tokens} ${of.replace('_', ' ')} × ${price.amount} per million`
  })
  const held = reserved === null ? '' : `; ${reserved.amount} were reserved`
  return terms.length === 0 ? amount : `${amount} = ${terms.join(' + ')} = ${exact}${held}`
}

function describeMs(ms: number | null | undefined): string | undefined {
  return ms === null || ms === undefined ? undefined : `${ms} ms`
}
