/**
 * The fields that a log line may have. Any other field does not compile, so that content cannot be
 * logged as part of some object.
 */
export type LogFields = {
  readonly requestId?: string
  readonly organizationId?: string | null
  readonly projectId?: string
  readonly credentialId?: string
  readonly operation?: string | null
  readonly status?: number
  readonly code?: string | null
  readonly ended?: string
  readonly queuedMs?: number | null
  readonly firstTokenMs?: number | null
  readonly durationMs?: number
  readonly model?: string | null
  readonly engine?: string | null
  readonly attempts?: number | null
  readonly missing?: readonly string[]
  readonly state?: string
  readonly reason?: string
  readonly outcome?: string | null
  readonly basis?: string
  readonly promptTokens?: number | null
  readonly cachedTokens?: number | null
  readonly completionTokens?: number | null
  readonly reasoningTokens?: number | null
  readonly cost?: number
  readonly count?: number
  readonly address?: string
  readonly signal?: string
  readonly problems?: readonly string[]
  readonly error?: ErrorTrace
}

export type Log = {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** An error as logged. Messages are omitted, because they can quote what a client sent. */
export type ErrorTrace = {
  readonly name: string
  readonly code?: string
  readonly at: readonly string[]
  readonly cause?: ErrorTrace
}

const FRAMES_MAX = 12
const CAUSES_MAX = 4

export function traceError(error: unknown, depth = 0): ErrorTrace {
  if (!(error instanceof Error)) return { name: typeof error, at: [] }
  const at = framesOf(error).slice(0, FRAMES_MAX)
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  const more = error.cause !== undefined && depth < CAUSES_MAX
  const cause = more ? { cause: traceError(error.cause, depth + 1) } : {}
  return { name: error.name, ...code, at, ...cause }
}

/** The text before the message: a name, and a code for errors of Node. */
const STACK_HEAD = /^[\w$.]*( \[\w+\])?(: )?$/
const STACK_WITHOUT_MESSAGE = /^[\w$.]*( \[\w+\])?\n/

/**
 * A stack starts with the message, whose lines may look like frames. So the message is cut off; if
 * it is not where it should be, no frames are returned.
 */
function framesOf({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message)
  const known = message === '' ? STACK_WITHOUT_MESSAGE.test(stack) : start !== -1
  if (!known || !STACK_HEAD.test(stack.slice(0, start))) return []
  const lines = stack.slice(start + message.length).split('\n')
  return lines.filter((line) => /^\s+at /.test(line)).map((line) => line.trim())
}
