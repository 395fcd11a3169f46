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
  readonly promptTokens?: number
  readonly completionTokens?: number
  readonly count?: number
  readonly address?: string
  readonly signal?: string
  readonly fault?: FaultTrace
}

export type Log = {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** What a log may say of an error. Messages are left out: they can quote what a client sent. */
export type FaultTrace = {
  readonly name: string
  readonly code?: string
  readonly at: readonly string[]
  readonly cause?: FaultTrace
}

const FRAMES_MAX = 12
const CAUSES_MAX = 4

export function traceFault(error: unknown, depth = 0): FaultTrace {
  if (!(error instanceof Error)) return { name: typeof error, at: [] }
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const at = frames.slice(0, FRAMES_MAX).map((line) => line.trim())
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  const more = error.cause !== undefined && depth < CAUSES_MAX
  const cause = more ? { cause: traceFault(error.cause, depth + 1) } : {}
  return { name: error.name, ...code, at, ...cause }
}
