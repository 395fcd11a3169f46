import type { RequestDetail } from '../../api/routes.ts'
import { formatCount, formatRate, formatMoney, UNKNOWN } from '../../format/number.ts'
import { formatDuration } from '../../format/time.ts'
import { formatList } from '../../format/list.ts'
import { request as words } from '../../words/request.ts'
import { outcomeOf } from './shown-outcome.ts'

/** What everybody sees of a request who sees it, also with a link. */
export type Explained = Omit<RequestDetail, 'project' | 'key' | 'member' | 'trace_url'>

/** The title of a request's page: what became of it. */
export function titleOf(request: Explained): string {
  const { outcome, error, cost, duration_ms: duration } = request
  const { titles } = words
  switch (outcome) {
    case 'completed':
      return titles.completed(formatDuration(duration), cost === null ? null : formatMoney(cost, 6))
    case 'failed':
      return titles.failed(error?.code ?? null)
    case 'abandoned':
      return titles.abandoned(formatDuration(duration))
    case 'lost':
      return titles.lost
    case 'refused':
      return outcomeOf(request) === 'failed'
        ? titles.failed(reasonOf(request))
        : titles.refused(reasonOf(request))
  }
}

function reasonOf({ error }: Explained): string {
  if (error === null) return UNKNOWN
  const reason = words.reasons[error.code] ?? error.code
  return error.limits.length > 0 ? error.limits.map(words.limitName).join(', ') : reason
}

/** The sentence one came for, with figures between asterisks. */
export function sentenceOf(request: Explained): string {
  return request.outcome === 'refused' ? refusalSentence(request) : recordSentence(request)
}

function refusalSentence({ error }: Explained): string {
  const { says } = words
  if (error === null) return says.nothingUsed
  const short = error.checked.find(({ limit }) => error.limits.includes(limit))
  const sentences = [
    ...(short === undefined
      ? [
          error.limits.length > 0
            ? says.exceeded(formatList(error.limits.map(words.limitName)))
            : says.byCode(error.code),
        ]
      : [says.needed(formatCount(short.needed), formatCount(short.left), unitOf(short))]),
    ...(error.param === null ? [] : [says.atParam(error.param)]),
    ...(error.retry_after_ms === null ? [] : [says.later(formatDuration(error.retry_after_ms))]),
    says.nothingUsed,
  ]
  return sentences.join(' ')
}

function unitOf({ limit, needed }: { readonly limit: string; readonly needed: number }): string {
  return limit.startsWith('tokens') ? words.units.tokens : words.units.requests(needed)
}

function recordSentence(request: Explained): string {
  const { queued_ms: queued, first_token_ms: first, duration_ms: duration, tokens } = request
  const { says } = words
  const count = formatCount(tokens?.completion_tokens)
  const seconds = first === null || duration === null ? 0 : (duration - first) / 1000
  const rate = seconds > 0 && tokens !== null ? tokens.completion_tokens / seconds : null
  const parts = [
    ...(queued === null ? [] : [says.waited(formatDuration(queued))]),
    first === null ? says.noPiece : says.firstToken(formatDuration(first)),
    ...(first === null
      ? []
      : [rate === null ? says.tokens(count) : says.speed(count, formatRate(rate))]),
  ]
  const basis = words.basis[tokens?.basis ?? ''] ?? ''
  return `${says.and(formatList(parts))} ${basis}`.trim()
}

export type Step = {
  readonly name: string
  readonly state: 'ok' | 'bad' | 'later'
  readonly text: string
  /** When, from the beginning of the request. */
  readonly at: string
}

/** The steps of a request that was admitted, in order, as far as they are known. */
export function stepsOf(request: Explained): Step[] {
  const { queued_ms: queued, duration_ms: duration, tokens } = request
  const { steps } = words
  const end = duration === null ? '' : formatDuration(duration)
  const reserved = request.calculation?.reserved ?? null
  const found: Step[] = [
    {
      name: steps.admitted,
      state: 'ok',
      text: reserved === null ? steps.unreserved : steps.reserved(formatMoney(reserved, 6)),
      at: '',
    },
  ]
  if (queued !== null)
    found.push({
      name: steps.queued,
      state: 'ok',
      text: steps.queuedText(formatDuration(queued), request.model ?? UNKNOWN),
      at: formatDuration(queued),
    })
  found.push(...answerSteps(request))
  found.push({
    name: steps.settled,
    state: request.outcome === 'completed' ? 'ok' : 'bad',
    text: `${words.basis[tokens?.basis ?? ''] ?? ''} ${endOf(request)}`.trim(),
    at: end,
  })
  found.push({
    name: steps.posted,
    state: 'ok',
    text: steps.postedText(request.outcome, tokens?.basis ?? UNKNOWN),
    at: '',
  })
  return found
}

function endOf({ outcome, cost }: Explained): string {
  if (outcome === 'failed' && (cost?.amount_micro ?? 0) === 0) return words.failedFree
  return words.ends[outcome] ?? ''
}

function answerSteps(request: Explained): Step[] {
  const { queued_ms: queued, first_token_ms: first, duration_ms: duration, tokens } = request
  const { steps } = words
  if (first === null)
    return [{ name: steps.noFirstToken, state: 'bad', text: steps.noFirstTokenText, at: '' }]
  const afterSlot =
    queued === null ? '' : steps.afterSlot(formatDuration(Math.max(0, first - queued)))
  const cached =
    tokens === null
      ? ''
      : steps.cached(formatCount(tokens.cached_tokens), formatCount(tokens.prompt_tokens))
  const reasoning = tokens?.reasoning_tokens ?? 0
  const text = formatCount((tokens?.completion_tokens ?? 0) - reasoning)
  return [
    {
      name: steps.firstToken,
      state: 'ok',
      text: `${afterSlot} ${cached}`.trim(),
      at: formatDuration(first),
    },
    {
      name: reasoning > 0 ? steps.answer : steps.plainAnswer,
      state: 'ok',
      text: reasoning > 0 ? steps.answerText(formatCount(reasoning), text) : steps.plainText(text),
      at: duration === null ? '' : `${formatDuration(first)} – ${formatDuration(duration)}`,
    },
  ]
}

/** What to do so that a refused or failed request passes. */
export function adviceOf({ error, outcome }: Explained): readonly string[] {
  const { advice } = words
  if (outcome === 'failed') return advice.again
  if (error === null) return []
  const { code, status, limits, param } = error
  if (code === 'rate_limit_exceeded')
    return limits.some((name) => name.endsWith('_day')) ? advice.day : advice.minute
  const known = advice.byCode[code]
  if (known !== undefined) return known
  if (status >= 500 || status === 408) return advice.again
  return param === null ? [] : advice.parameter
}
