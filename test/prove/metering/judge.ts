import type { Exchange } from './client.ts'
import type { Work } from './engine-process.ts'
import type { Row } from './ledger.ts'

/** One request: what was asked, what its client saw, and what the engine made for it. */
export type Attempt = {
  readonly work: Work
  readonly streamed: boolean
  readonly exchange: Exchange
  readonly generated: number
}

/** A time in which checkpoints could not be written, by `performance.now()`. */
export type Outage = { readonly fromMs: number; readonly toMs: number }

export type Verdict = {
  whole: number
  interrupted: number
  unanswered: number
  /** Ended requests without a row. */
  lost: number
  /** Requests with more than one row, and rows of no request. */
  double: number
  /** Rows that have more than the client was told or the engine made, or cost more. */
  overBilled: number
  /** Rows of ended requests that have less than the client was told. */
  underBilled: number
  /** Interrupted streams without a row, whose admission a failover lost. */
  unrecorded: number
  /** Rows of interrupted streams that lack more than a checkpoint. */
  beyondCheckpoint: number
  /** Whole answers that did not wait for Valkey any longer, and whose api was killed then. */
  letGo: number
  /** The most tokens that the row of an interrupted stream lacks, while Valkey was there. */
  lackedMax: number
  readonly faults: string[]
}

/** Of the requirement: a checkpoint is due after so many tokens. */
const CHECKPOINT_TOKENS = 32

/** Prices of the run, in micro-units per million tokens. */
export const PRICE = { input: 3_000_000, cachedInput: 1_500_000, output: 7_000_000 } as const

/** Judges every attempt by the rows that have its number of prompt tokens, or its id. */
export function judge(
  attempts: readonly Attempt[],
  rows: readonly Row[],
  outages: readonly Outage[],
  tickMs: number,
): Verdict {
  const verdict = emptyVerdict()
  const byPrompt = Map.groupBy(rows, ({ prompt }) => prompt)
  const byId = Map.groupBy(rows, ({ id }) => id)
  const claimed = new Set<Row>()
  for (const attempt of attempts) {
    const { requestId } = attempt.exchange
    const own = new Set(byPrompt.get(attempt.work.prompt))
    for (const row of requestId === undefined ? [] : (byId.get(requestId) ?? [])) own.add(row)
    for (const row of own) claimed.add(row)
    judgeAttempt(verdict, attempt, [...own], outages, tickMs)
  }
  // A request that nobody got an answer to may be known, with nothing counted.
  const stray = rows.filter((row) => !claimed.has(row) && row.prompt + row.completion > 0)
  verdict.double += stray.length
  for (const row of stray) note(verdict, 'a row of no request', row)
  return verdict
}

function judgeAttempt(
  verdict: Verdict,
  attempt: Attempt,
  rows: readonly Row[],
  outages: readonly Outage[],
  tickMs: number,
): void {
  const { exchange, generated, work } = attempt
  const [row] = rows
  if (rows.length > 1) {
    verdict.double += 1
    for (const each of rows) note(verdict, 'one of several rows', each)
  }
  for (const each of rows) {
    const made = each.completion <= generated && each.prompt <= work.prompt
    if (made && each.cost === costOf(each)) continue
    verdict.overBilled += 1
    note(verdict, `the engine made ${generated}, and it costs ${costOf(each)}`, each)
  }
  const outage = outages.find(
    ({ fromMs, toMs }) => fromMs <= exchange.endedMs && exchange.endedMs <= toMs,
  )
  if (exchange.ending === 'whole') judgeWhole(verdict, attempt, row, outage, tickMs)
  else if (exchange.status === 200) judgeInterrupted(verdict, attempt, row, outage, tickMs)
  else verdict.unanswered += 1
}

function judgeWhole(
  verdict: Verdict,
  attempt: Attempt,
  row: Row | undefined,
  outage: Outage | undefined,
  tickMs: number,
): void {
  const { usage, requestId } = attempt.exchange
  verdict.whole += 1
  if (row === undefined || usage === undefined || row.id !== requestId) {
    verdict.lost += 1
    verdict.faults.push(`an ended request has no row: ${requestId}`)
    return
  }
  if (row.outcome === 'lost' && outage !== undefined) {
    // No client waits for Valkey without end; who was let go may then lose its api as well.
    verdict.letGo += 1
    judgeLack(verdict, attempt, row, outage, tickMs)
    return
  }
  const fields = ['prompt', 'cached', 'completion', 'reasoning'] as const
  const more = fields.some((field) => row[field] > usage[field])
  const less = fields.some((field) => row[field] < usage[field]) || row.basis !== 'engine'
  if (more) verdict.overBilled += 1
  if (less) verdict.underBilled += 1
  if (more || less) note(verdict, `told ${JSON.stringify(usage)}`, row)
}

function judgeInterrupted(
  verdict: Verdict,
  attempt: Attempt,
  row: Row | undefined,
  outage: Outage | undefined,
  tickMs: number,
): void {
  const { requestId } = attempt.exchange
  verdict.interrupted += 1
  // An admission that a failover lost is written down again with its next checkpoint.
  if (row === undefined && outage !== undefined) verdict.unrecorded += 1
  else if (row?.id !== requestId) {
    verdict.lost += 1
    verdict.faults.push(`an interrupted request has no row: ${requestId}`)
    return
  }
  judgeLack(verdict, attempt, row, outage, tickMs)
}

/**
 * A stream that broke off may lack a checkpoint: the tokens that make one due, those of the tick
 * in which it would have been written, and those of a time in which it could not be.
 */
function judgeLack(
  verdict: Verdict,
  { exchange }: Attempt,
  row: Row | undefined,
  outage: Outage | undefined,
  tickMs: number,
): void {
  const lacked = exchange.seen - (row?.completion ?? 0)
  const writableMs = Math.min(exchange.endedMs, outage?.fromMs ?? Infinity) - tickMs
  const allowed = CHECKPOINT_TOKENS + exchange.seen - exchange.seenBy(writableMs)
  if (outage === undefined) verdict.lackedMax = Math.max(verdict.lackedMax, lacked)
  if (lacked <= allowed) return
  verdict.beyondCheckpoint += 1
  const counts = `${exchange.seen} seen, lacks ${lacked} of which ${allowed} may be`
  verdict.faults.push(`${counts}: ${JSON.stringify(row)}`)
}

/** Computed here once more, by the rule and not by the code. */
export function costOf({ prompt, cached, completion }: Row): number {
  const { input, cachedInput, output } = PRICE
  const millionths = (prompt - cached) * input + cached * cachedInput + completion * output
  return Math.floor(millionths / 1_000_000)
}

function note({ faults }: Verdict, what: string, row: Row): void {
  faults.push(`${what}: ${JSON.stringify(row)}`)
}

function emptyVerdict(): Verdict {
  const seen = {
    whole: 0,
    interrupted: 0,
    unanswered: 0,
    unrecorded: 0,
    letGo: 0,
    lackedMax: 0,
    faults: [],
  }
  return { ...seen, lost: 0, double: 0, overBilled: 0, underBilled: 0, beyondCheckpoint: 0 }
}
