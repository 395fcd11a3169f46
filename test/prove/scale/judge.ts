import type { PostedRecord } from '../../harness/seed/posted-usage.ts'
import type { Attempt, Ending } from './load.ts'

/** In units of the currency per million tokens, which are micro-units per token. */
export const PRICE = { input: 3, output: 7 }
/** What the fake engine reports for every prompt. */
const PROMPT_TOKENS = 100
/** What is reserved for such a prompt is a bound above its true length, and close to it. */
const RESERVED_TOKENS_MAX = 128
/** Tokens that were generated while the connection to the client ended. */
const AHEAD_MAX = 2
/** A checkpoint is due after a second; this is far more than a busy machine needs for it. */
const CHECKPOINT_MS = 30_000

/** Counted for the result line, in its order. */
export type Verdict = {
  requests: number
  /** Tokens that arrived. */
  events: number
  completed: number
  /** Streams whose clients left them. */
  left: number
  /** Streams that ended with an error event, because their engine was killed. */
  failed: number
  /** Streams whose api was killed. */
  interrupted: number
  refused: number
  unanswered: number
  posted: number
  /** Interrupted streams whose records workers closed. */
  lost_settled: number
  /** Records that workers closed although their process was alive. */
  closed_early: number
  /** Answered requests without a record. */
  missing: number
  /** Requests with several records, and records of no request. */
  double: number
  /** Records with other counts or another cost than they must have. */
  wrong: number
  /** Tokens of interrupted streams that came after the last checkpoint. */
  unbilled_tokens: number
}

/**
 * Which outcomes the record of a request may have, besides `lost`: that is also the record of a
 * request that was closed because the heartbeat of a busy process was late, if its own settlement
 * has no more tokens.
 */
const OUTCOMES: Readonly<Record<Ending, readonly string[]>> = {
  whole: ['completed'],
  error: ['failed'],
  // An engine may fail, or a client may leave, in the moment in which the api is killed.
  broken: ['failed', 'abandoned', 'completed'],
  // The client left while its last token was under way.
  left: ['abandoned', 'completed', 'failed'],
  refused: ['failed', 'abandoned'],
  unanswered: ['failed', 'abandoned'],
}

const COUNTERS = {
  whole: 'completed',
  left: 'left',
  error: 'failed',
  broken: 'interrupted',
  refused: 'refused',
  unanswered: 'unanswered',
} as const satisfies Record<Ending, keyof Verdict>

/** Compares what every client saw with the record of its request. */
export function judge(
  attempts: readonly Attempt[],
  records: readonly PostedRecord[],
  /** Between two tokens of a stream. */
  everyMs: number,
  fail: (what: string) => void,
): Verdict {
  const verdict: Verdict = {
    requests: attempts.length,
    events: 0,
    completed: 0,
    left: 0,
    failed: 0,
    interrupted: 0,
    refused: 0,
    unanswered: 0,
    posted: records.length,
    lost_settled: 0,
    closed_early: 0,
    missing: 0,
    double: 0,
    wrong: 0,
    unbilled_tokens: 0,
  }
  const lackedMax = Math.ceil(CHECKPOINT_MS / everyMs)
  const byId = Map.groupBy(records, ({ id }) => id)
  let withoutId = 0
  for (const attempt of attempts) {
    verdict.events += attempt.seen
    verdict[COUNTERS[attempt.ending]] += 1
    if (attempt.id === undefined) withoutId += 1
    else judgeAttempt({ attempt, lackedMax, verdict, fail }, byId.get(attempt.id) ?? [])
  }
  for (const record of records) {
    if (isPriced(record)) continue
    verdict.wrong += 1
    fail(`a record with wrong counts or cost: ${JSON.stringify(record)}`)
  }
  // A request that got no response may have a record, and its client does not know the id.
  const known = new Set(attempts.map(({ id }) => id))
  const stray = records.filter(({ id }) => !known.has(id)).length
  if (stray > withoutId) {
    verdict.double += stray - withoutId
    fail(`${stray} records of unknown requests, but ${withoutId} requests without an id`)
  }
  return verdict
}

/**
 * A prompt that the engine neither reported nor counted in time, before the first token, is billed
 * as it was reserved.
 */
function isPriced({ prompt, completion, basis, cost }: PostedRecord): boolean {
  const isEstimated = completion === 0 && basis !== 'engine' && prompt <= RESERVED_TOKENS_MAX
  const isRight = prompt === PROMPT_TOKENS || isEstimated
  return isRight && cost === prompt * PRICE.input + completion * PRICE.output
}

type Case = {
  readonly attempt: Attempt
  /** Tokens that the record of an interrupted stream may lack. */
  readonly lackedMax: number
  readonly verdict: Verdict
  readonly fail: (what: string) => void
}

function judgeAttempt(
  { attempt, lackedMax, verdict, fail }: Case,
  [record, ...others]: readonly PostedRecord[],
): void {
  if (others.length > 0) {
    verdict.double += 1
    fail(`several records: ${JSON.stringify([record, ...others])}`)
  }
  if (record === undefined) {
    // A refused request may have used nothing.
    if (attempt.status !== 200) return
    verdict.missing += 1
    fail(`a request without a record: ${JSON.stringify(attempt)}`)
    return
  }
  const { ending, seen } = attempt
  const isLost = record.outcome === 'lost'
  const lacked = seen - record.completion
  if (isLost) verdict[ending === 'broken' ? 'lost_settled' : 'closed_early'] += 1
  if (ending === 'broken') verdict.unbilled_tokens += Math.max(0, lacked)
  // A client may also leave a process that dies before it has settled the request.
  const mayLack = ending === 'broken' || ending === 'left'
  const allowed = mayLack && isLost ? lackedMax : 0
  const isExact = ending !== 'whole' || lacked === 0
  const isCounted = isExact && lacked <= allowed && lacked >= -AHEAD_MAX
  if (isCounted && (isLost || OUTCOMES[ending].includes(record.outcome))) return
  verdict.wrong += 1
  fail(`${JSON.stringify(attempt)} has the record ${JSON.stringify(record)}`)
}
