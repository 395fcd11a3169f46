import type { Work } from '../../harness/fake-engine/counting.ts'
import { costOf } from '../../harness/load/metered.ts'
import type { PostedRecord } from '../../harness/seed/posted-usage.ts'
import type { Exchange } from '../../harness/clients/usage-client.ts'

/** One request: its work, what its client saw, and the tokens that the engine generated. */
export type Attempt = {
  readonly work: Work
  readonly exchange: Exchange
  readonly generated: number
}

/** A time in which checkpoints could not be written, by `performance.now()`. */
export type Outage = { readonly fromMs: number; readonly toMs: number }

/** Counted for the result line, in its order. */
export type Verdict = {
  whole: number
  interrupted: number
  unanswered: number
  /** Ended requests without a usage record. */
  lost: number
  /** Requests with several records, and records of no request. */
  double: number
  /** Records that exceed what the client was sent or the engine generated, or cost more. */
  over_billed: number
  /** Records of whole answers with less than the client was sent. */
  under_billed: number
  /** Records of interrupted streams that lack more than a checkpoint. */
  beyond_checkpoint: number
  /** The most tokens that the record of an interrupted stream lacks, without an outage. */
  lacked_max: number
  /** Interrupted streams without a record, because a failover lost their admission. */
  unrecorded: number
  /** Whole answers that were released without waiting for Valkey, and whose api was then killed. */
  let_go: number
}

type Case = {
  readonly verdict: Verdict
  readonly fail: (what: string) => void
  readonly attempt: Attempt
  readonly record: PostedRecord | undefined
  /** The outage in which the request ended. */
  readonly outage: Outage | undefined
}

/** Of the specification: a checkpoint is due after so many tokens. */
const CHECKPOINT_TOKENS = 32
/** A checkpoint is due after 32 tokens or a second, and written with the next tick of 100 ms. */
const TICK_MS = 500

/** Judges every attempt by the records that have its id or its number of prompt tokens. */
export function judge(
  attempts: readonly Attempt[],
  records: readonly PostedRecord[],
  outages: readonly Outage[],
  fail: (what: string) => void,
): Verdict {
  const verdict: Verdict = {
    whole: 0,
    interrupted: 0,
    unanswered: 0,
    lost: 0,
    double: 0,
    over_billed: 0,
    under_billed: 0,
    beyond_checkpoint: 0,
    lacked_max: 0,
    unrecorded: 0,
    let_go: 0,
  }
  const byPrompt = Map.groupBy(records, ({ prompt }) => prompt)
  const byId = Map.groupBy(records, ({ id }) => id)
  const claimed = new Set<PostedRecord>()
  for (const attempt of attempts) {
    const { requestId, endedMs } = attempt.exchange
    const own = new Set(byPrompt.get(attempt.work.prompt)).union(new Set(byId.get(requestId)))
    for (const record of own) claimed.add(record)
    const outage = outages.find(({ fromMs, toMs }) => fromMs <= endedMs && endedMs <= toMs)
    judgeAttempt({ verdict, fail, attempt, record: [...own][0], outage }, [...own])
  }
  // A request whose client got no answer may have a record that counts nothing.
  const stray = records.filter((each) => !claimed.has(each) && each.prompt + each.completion > 0)
  verdict.double += stray.length
  for (const record of stray) fail(`a record of no request: ${JSON.stringify(record)}`)
  return verdict
}

function judgeAttempt(judged: Case, records: readonly PostedRecord[]): void {
  const { verdict, fail, attempt } = judged
  const { exchange, generated, work } = attempt
  if (records.length > 1) {
    verdict.double += 1
    fail(`several records: ${JSON.stringify(records)}`)
  }
  for (const record of records) {
    const isMade = record.completion <= generated && record.prompt <= work.prompt
    if (isMade && record.cost === costOf(record)) continue
    verdict.over_billed += 1
    fail(`${generated} generated, cost ${costOf(record)}: ${JSON.stringify(record)}`)
  }
  if (exchange.complete) judgeWhole(judged)
  else if (exchange.status === 200) judgeInterrupted(judged)
  else verdict.unanswered += 1
}

function judgeWhole(judged: Case): void {
  const { verdict, fail, attempt, record, outage } = judged
  const { usage, requestId } = attempt.exchange
  verdict.whole += 1
  if (record === undefined || usage === undefined || record.id !== requestId) {
    verdict.lost += 1
    fail(`an ended request has no record: ${requestId}`)
    return
  }
  if (record.outcome === 'lost' && outage !== undefined) {
    // Clients wait for Valkey only so long; the api of one that was let go may then be killed.
    verdict.let_go += 1
    judgeLack(judged)
    return
  }
  const fields = ['prompt', 'cached', 'completion', 'reasoning'] as const
  const isMore = fields.some((field) => record[field] > usage[field])
  const isLess = fields.some((field) => record[field] < usage[field]) || record.basis !== 'engine'
  if (isMore) verdict.over_billed += 1
  if (isLess) verdict.under_billed += 1
  if (isMore || isLess) fail(`sent ${JSON.stringify(usage)}: ${JSON.stringify(record)}`)
}

function judgeInterrupted(judged: Case): void {
  const { verdict, fail, attempt, record, outage } = judged
  const { requestId } = attempt.exchange
  verdict.interrupted += 1
  // An admission that a failover lost is written again with the next checkpoint.
  if (record === undefined && outage !== undefined) verdict.unrecorded += 1
  else if (record?.id !== requestId) {
    verdict.lost += 1
    fail(`an interrupted request has no record: ${requestId}`)
    return
  }
  judgeLack(judged)
}

/**
 * The record of an interrupted stream can miss a checkpoint: the tokens that make one due, those
 * of the tick in which it would have been written, and those of an outage.
 */
function judgeLack({ verdict, fail, attempt, record, outage }: Case): void {
  const { seen, seenBy, endedMs } = attempt.exchange
  const lacked = seen - (record?.completion ?? 0)
  const writableMs = Math.min(endedMs, outage?.fromMs ?? Infinity) - TICK_MS
  const allowed = CHECKPOINT_TOKENS + seen - seenBy(writableMs)
  if (outage === undefined) verdict.lacked_max = Math.max(verdict.lacked_max, lacked)
  if (lacked <= allowed) return
  verdict.beyond_checkpoint += 1
  fail(`${seen} seen, lacks ${lacked}, allowed ${allowed}: ${JSON.stringify(record)}`)
}
