import { isObject } from './is-object.ts'
import type { LogFields } from './log.ts'

/** The fields that a log line may have. The compiler keeps it complete. */
const ALLOWED: Readonly<Record<keyof LogFields, true>> = {
  requestId: true,
  organizationId: true,
  projectId: true,
  credentialId: true,
  operation: true,
  status: true,
  code: true,
  ended: true,
  queuedMs: true,
  firstTokenMs: true,
  durationMs: true,
  model: true,
  engine: true,
  attempts: true,
  missing: true,
  state: true,
  reason: true,
  outcome: true,
  basis: true,
  promptTokens: true,
  cachedTokens: true,
  completionTokens: true,
  reasoningTokens: true,
  cost: true,
  count: true,
  address: true,
  signal: true,
  problems: true,
  error: true,
}

/** Our messages are constant and short, and begin in lower case. */
const MESSAGE = /^(?:[a-z]|Node\.js )[^\p{Cc}…]{1,119}$/u
/** As in `traceError`. */
const FRAME = /^at [^\p{Cc}]{1,300}$/u
const TEXT_LENGTH_MAX = 256
const CAUSES_MAX = 4

/**
 * A line of our log with only what a log may contain, or undefined for any other line: whatever
 * else the file contains may be content.
 */
export function redactLogLine(line: string): string | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!isObject(parsed)) return undefined
  const { level, time, msg, ...fields } = parsed
  if (typeof level !== 'number' || typeof time !== 'number') return undefined
  if (typeof msg !== 'string' || !MESSAGE.test(msg)) return undefined
  const kept = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    if (!Object.hasOwn(ALLOWED, name)) return []
    if (name === 'error') return [[name, redactTrace(value, 0)]]
    return isPlain(value) || (Array.isArray(value) && value.every(isPlain)) ? [[name, value]] : []
  })
  return JSON.stringify({ level, time, ...Object.fromEntries(kept), msg })
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= TEXT_LENGTH_MAX
  return value === null || typeof value === 'number' || typeof value === 'boolean'
}

function redactTrace(value: unknown, depth: number): object {
  if (!isObject(value) || depth > CAUSES_MAX) return {}
  const { name, code, at, cause } = value
  const frames = Array.isArray(at) ? at : []
  return {
    ...(typeof name === 'string' && isPlain(name) && { name }),
    ...(typeof code === 'string' && isPlain(code) && { code }),
    at: frames.filter((frame) => typeof frame === 'string' && FRAME.test(frame)),
    ...(cause !== undefined && { cause: redactTrace(cause, depth + 1) }),
  }
}
