import type { ChatRequest } from '../contract/chat-request.ts'
import { ApiError } from '../contract/error.ts'
import type { BodyBudget, BodyCharge } from '../http/body-budget.ts'
import type { Call } from '../http/call.ts'
import { declaresJson, NoBodyMemory, readBody } from '../http/read-body.ts'
import { freeBuffer } from '../lib/free-buffer.ts'
import { isObject } from '../lib/is-object.ts'
import { JSON_ERRORS, parseJson } from '../lib/parse-json.ts'
import { retryHeaders } from './headers.ts'

/**
 * A parsed body, or the error to throw after admission: unreadable requests count against the rate
 * limits too, so that a flood of them is limited.
 */
export type ChatBody =
  | { readonly read: true; readonly value: unknown }
  | { readonly read: false; readonly error: ApiError }

/** Its memory is charged until it is released or disposed of. */
type ChargedBody = ChatBody &
  Disposable & {
    /** Forgets the value. */
    release(): void
  }

type ReadOptions = {
  readonly bodyBytesMax: number
  readonly bodyBudget: BodyBudget
}

/** Memory of a parsed value besides its text, for each brace, bracket, comma and colon. */
const BYTES_PER_TOKEN = 64

/** Bodies are in memory for seconds: until their engine has begun to answer. */
const RETRY_AFTER_MS = 1_000

/** The body is charged to the caller's organization. */
export async function readChatBody(
  { request }: Call,
  organizationId: string,
  { bodyBytesMax, bodyBudget }: ReadOptions,
): Promise<ChargedBody> {
  const charge = bodyBudget.open(organizationId)
  try {
    if (!declaresJson(request.headers['content-type']))
      throw new ApiError('unsupported_media_type', 'Content-Type must be application/json.')
    return parse(await readBody(request, bodyBytesMax, charge), charge)
  } catch (error) {
    charge.resize(0)
    if (error instanceof ApiError) return failed(error)
    if (error instanceof NoBodyMemory) return failed(noMemory())
    throw error
  }
}

function parse(bytes: Buffer, charge: BodyCharge): ChargedBody {
  const { length } = bytes
  const parsed = parseJson(bytes)
  freeBuffer(bytes)
  if (parsed.ok) {
    const { value, tokens } = parsed
    if (charge.resize(length + tokens * BYTES_PER_TOKEN)) return new ParsedBody(value, charge)
    throw new NoBodyMemory()
  }
  const must = JSON_ERRORS[parsed.error]
  throw parsed.path === undefined
    ? new ApiError('invalid_json', `The request body ${must}.`)
    : new ApiError('invalid_value', `'${parsed.path}' ${must}.`, { param: parsed.path })
}

class ParsedBody implements Disposable {
  readonly read = true
  value: unknown
  readonly #charge: BodyCharge

  constructor(value: unknown, charge: BodyCharge) {
    this.value = value
    this.#charge = charge
  }

  release(): void {
    this.value = undefined
    this[Symbol.dispose]()
  }

  [Symbol.dispose](): void {
    this.#charge.resize(0)
  }
}

/**
 * Empties a request that is not needed any more: suspended functions keep what they were passed
 * until a stream ends.
 */
export function releaseContent(request: ChatRequest): void {
  const members: Record<string, unknown> = request
  for (const [name, member] of Object.entries(members)) {
    if (Array.isArray(member)) members[name] = []
    else if (name === 'response_format' && isObject(member))
      members[name] = { type: member['type'] }
    else if (name === 'stop' || isObject(member)) members[name] = null
  }
}

function failed(error: ApiError): ChargedBody {
  const nothing = () => undefined
  return { read: false, error, release: nothing, [Symbol.dispose]: nothing }
}

function noMemory(): ApiError {
  return new ApiError(
    'infrastructure_rate_limit_exceeded',
    'Too many request bodies are in memory at the moment. Retry after the indicated delay.',
    { headers: retryHeaders(RETRY_AFTER_MS, true) },
  )
}
