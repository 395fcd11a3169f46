export const GROUPS = [
  'configuration',
  'postgresql',
  'valkey',
  'engines',
  'machine',
  'mail',
  'console',
  'payments',
  'processes',
] as const

export type GroupName = (typeof GROUPS)[number]

export type Verdict = 'ok' | 'note' | 'warning' | 'failed' | 'not_checked'

export type Finding = {
  readonly verdict: Verdict
  readonly found: string
  /** What to do about it. */
  readonly hint?: string
}

/** Where a result belongs: `of` names the engine or process among several. */
export type Place = { readonly group: GroupName; readonly of?: string }

export type Result = Place & Finding & { readonly check: string; readonly docs: string }

export type Check<Subject> = {
  readonly name: string
  readonly run: (subject: Subject) => Finding | Promise<Finding>
}

/** How long the checks may take. Groups run at the same time, the checks of one in turn. */
export type Time = { readonly connectMs: number; readonly deadlineMs: number }

/** What is left is for the checks of a server that was reached at the last moment. */
const CONNECT_SHARE = 2 / 3

const FOUND_CHARACTERS_MAX = 200

export function ok(found: string): Finding {
  return { verdict: 'ok', found }
}

export function warning(found: string, hint: string): Finding {
  return { verdict: 'warning', found, hint }
}

export function failed(found: string, hint: string): Finding {
  return { verdict: 'failed', found, hint }
}

export function notChecked(found: string, hint?: string): Finding {
  return { verdict: 'not_checked', found, ...(hint !== undefined && { hint }) }
}

export function resultOf(place: Place, check: string, finding: Finding): Result {
  const docs = `docs/operating/diagnosis.md#${place.group}`
  return { ...place, check, ...finding, found: printableText(finding.found), docs }
}

/** Names may come from an engine: no control characters, and no page of them. */
function printableText(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ')
  return line.length > FOUND_CHARACTERS_MAX ? `${line.slice(0, FOUND_CHARACTERS_MAX)}…` : line
}

export function startTime(timeoutMs: number): Time {
  return { connectMs: timeoutMs * CONNECT_SHARE, deadlineMs: performance.now() + timeoutMs }
}

/**
 * Runs the checks one after the other, since they share a connection. One that throws has failed;
 * once the deadline has passed, the rest is not checked.
 */
export async function runChecks<Subject>(
  place: Place,
  subject: Subject,
  checks: readonly Check<Subject>[],
  { deadlineMs }: Time,
): Promise<Result[]> {
  const results: Result[] = []
  for (const { name, run } of checks) {
    const finding = await runOne(() => run(subject), deadlineMs)
    results.push(resultOf(place, name, finding))
  }
  return results
}

const LATE = 'Raise --timeout, or reduce the load.'

async function runOne(run: () => Finding | Promise<Finding>, deadlineMs: number): Promise<Finding> {
  const leftMs = deadlineMs - performance.now()
  if (leftMs <= 0) return notChecked('no time was left', 'Raise --timeout.')
  const { promise, resolve } = Promise.withResolvers<Finding>()
  const timer = setTimeout(() => resolve(failed('no answer in time', LATE)), leftMs)
  try {
    return await Promise.race([Promise.resolve().then(run), promise])
  } catch (error) {
    return failed(reasonOf(error), hintOf(error))
  } finally {
    clearTimeout(timer)
  }
}

/** The results of checks whose subject could not be reached. */
export function skipChecks(
  place: Place,
  checks: readonly { readonly name: string }[],
  because: string,
): Result[] {
  return checks.map(({ name }) => resultOf(place, name, notChecked(because)))
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ETIMEDOUT: 'no answer in time',
  ESOCKET: 'connection refused or broken',
  ENOTFOUND: 'unknown host',
  EDNS: 'unknown host',
  EAI_AGAIN: 'unknown host',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EAUTH: 'credentials rejected',
  WRONGPASS: 'credentials rejected',
  NOAUTH: 'credentials required',
  NOPERM: 'permission denied',
  '28P01': 'credentials rejected',
  '28000': 'credentials rejected',
  '3D000': 'the database does not exist',
  '42501': 'permission denied',
  '42P01': 'a table is missing',
  '42703': 'a column is missing',
  '53300': 'no connection is free',
  '57P03': 'the server is starting',
}

const TIMEOUTS = /timeout|timed out/i

/** In our words: the message of an error may quote a value. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error)
  if (code !== undefined) return REASONS[code] ?? code
  if (error instanceof Error && TIMEOUTS.test(`${error.name} ${error.message}`))
    return 'no answer in time'
  return error instanceof Error ? error.name : 'unexpected error'
}

export function hintOf(error: unknown): string {
  const reason = reasonOf(error)
  if (reason.startsWith('credentials')) return 'Correct user name and password in its URL.'
  if (reason === 'permission denied') return 'Give the user of the URL this right.'
  if (reason.startsWith('a table') || reason.startsWith('a column')) return 'Run headrace migrate.'
  if (reason === 'the database does not exist') return 'Create it, or correct its URL.'
  return 'Start it, or correct its URL; check the network between here and there.'
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  const [word = ''] = error.message.split(' ', 1)
  // An error reply of Valkey begins with its code.
  if (/^[A-Z]{4,}$/.test(word)) return word
  return error.cause === undefined ? undefined : codeOf(error.cause)
}
