/**
 * Everything that may stand in a log line. A field that is not listed does not compile, so content
 * cannot slip in by way of an object that happens to hold it.
 */
export type LogFields = {
  readonly requestId?: string
  readonly organizationId?: string
  readonly projectId?: string
  readonly credentialId?: string
  readonly operation?: string
  readonly status?: number
  readonly code?: string | null
  readonly durationMs?: number
  readonly model?: string
  readonly engine?: string
  readonly missing?: readonly string[]
  readonly outcome?: string
  readonly basis?: string
  readonly promptTokens?: number
  readonly cachedTokens?: number
  readonly completionTokens?: number
  readonly reasoningTokens?: number
  readonly cost?: number
  readonly count?: number
  readonly address?: string
  readonly signal?: string
  readonly error?: ErrorTrace
}

export type Log = {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** What a log may say of an error. Messages are left out: they can quote what a client sent. */
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

/** What stands before the message: a name, and for errors of Node a code. */
const STACK_HEAD = /^[\w$.]*( \[\w+\])?(: )?$/
const STACK_WITHOUT_MESSAGE = /^[\w$.]*( \[\w+\])?\n/

/**
 * A stack begins with the message, whose own lines may look like frames. So it is cut off, and of
 * a stack that does not hold it where it belongs nothing is shown.
 */
function framesOf({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message)
  const known = message === '' ? STACK_WITHOUT_MESSAGE.test(stack) : start !== -1
  if (!known || !STACK_HEAD.test(stack.slice(0, start))) return []
  const lines = stack.slice(start + message.length).split('\n')
  return lines.filter((line) => /^\s+at /.test(line)).map((line) => line.trim())
}
