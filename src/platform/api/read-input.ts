import type { TObject } from 'typebox'
import { checkValue } from '../../contract/check-value.ts'
import { ApiError } from '../../contract/error.ts'
import type { BodyCharge } from '../../http/body-budget.ts'
import type { Call } from '../../http/call.ts'
import { declaresJson, NoBodyMemory, readBody } from '../../http/read-body.ts'
import { isObject } from '../../lib/is-object.ts'
import { JSON_ERRORS, parseJson } from '../../lib/parse-json.ts'

/** The largest body that is read, and how long a client may take to send it. */
export type BodyBounds = { readonly bytesMax: number; readonly withinMs: number }

/** More than any body of this API needs, and as long as the server waits for a request. */
export const CALLERS_BOUNDS: BodyBounds = { bytesMax: 65_536, withinMs: 60_000 }
/** Nobody knows who sends these: a form with a password, or a passkey's answer. */
export const STRANGERS_BOUNDS: BodyBounds = { bytesMax: 4_096, withinMs: 5_000 }

/** What a body is written in. */
export type BodyFormat = {
  readonly mediaType: string
  readonly declares: (contentType: string | undefined) => boolean
  readonly parse: (bytes: Buffer) => unknown
}

export const JSON_FORMAT: BodyFormat = {
  mediaType: 'application/json',
  declares: declaresJson,
  parse: parseObject,
}

const FORM = /^application\/x-www-form-urlencoded[ \t]*(;|$)/i

export const FORM_FORMAT: BodyFormat = {
  mediaType: 'application/x-www-form-urlencoded',
  declares: (contentType) => FORM.test(contentType?.trim() ?? ''),
  parse: (bytes) => Object.fromEntries(new URLSearchParams(bytes.toString())),
}

export type ReadBody = { readonly bytes: Buffer; readonly value: unknown }

/** Reads and checks a body. Without a schema the body must be absent. */
export async function readInputBody(
  { request }: Call,
  schema: TObject | null,
  charge: BodyCharge,
  { bytesMax, withinMs }: BodyBounds,
  format: BodyFormat = JSON_FORMAT,
): Promise<ReadBody> {
  try {
    const bytes = Buffer.from(await within(withinMs, readBody(request, bytesMax, charge)))
    if (bytes.length === 0 && schema === null) return { bytes, value: undefined }
    if (!format.declares(request.headers['content-type'])) throw wrongFormat(format)
    const value = format.parse(bytes)
    if (schema === null) {
      if (isObject(value) && Object.keys(value).length === 0) return { bytes, value: undefined }
      throw new ApiError('invalid_value', 'This request must have no body.')
    }
    checkValue(schema, value)
    return { bytes, value }
  } catch (error) {
    if (!(error instanceof NoBodyMemory)) throw error
    throw noBodyMemory()
  } finally {
    charge.resize(0)
  }
}

/** The memory for bodies is used up, or the caller's share of it. */
export function noBodyMemory(): ApiError {
  const headers = { 'retry-after': '1' }
  return new ApiError('service_unavailable', 'The service is busy. Retry shortly.', { headers })
}

/** Rejects what takes longer, and closes the connection. */
export async function within<Result>(timeMs: number, reading: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    // What may still arrive is not worth a connection.
    const headers = { connection: 'close' }
    const message = 'The request was not received in time.'
    late.reject(new ApiError('request_timeout', message, { headers }))
  }, timeMs)
  try {
    return await Promise.race([reading, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

export function wrongFormat({ mediaType }: BodyFormat): ApiError {
  return new ApiError('unsupported_media_type', `Content-Type must be ${mediaType}.`)
}

export function parseObject(bytes: Buffer): unknown {
  const parsed = parseJson(bytes)
  if (parsed.ok && isObject(parsed.value)) return parsed.value
  if (parsed.ok) throw new ApiError('invalid_json', 'The request body must be a JSON object.')
  const must = JSON_ERRORS[parsed.error]
  throw parsed.path === undefined
    ? new ApiError('invalid_json', `The request body ${must}.`)
    : new ApiError('invalid_value', `'${parsed.path}' ${must}.`, { param: parsed.path })
}

/** Reads and checks the query. A parameter may occur once, or as often as its list may be long. */
export function readQuery(search: string, schema: TObject): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const properties = schema.properties as Readonly<Record<string, { readonly type?: string }>>
  for (const [name, text] of new URLSearchParams(search)) {
    const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined
    const known = Object.hasOwn(values, name)
    // As in bodies: PostgreSQL has no NUL in texts.
    if (text.includes('\0'))
      throw new ApiError('invalid_value', `'${name.slice(0, 128)}' must not contain NUL.`, {
        param: name.slice(0, 128),
      })
    if (type === 'array') values[name] = [...((values[name] as string[]) ?? []), text]
    else if (known)
      throw new ApiError('invalid_value', `'${name.slice(0, 128)}' must occur once.`, {
        param: name.slice(0, 128),
      })
    else
      Object.defineProperty(values, name, {
        value: coerce(text, type),
        enumerable: true,
        configurable: true,
        writable: true,
      })
  }
  checkValue(schema, values)
  return values
}

/** A text that is no number stays a text, which the check then rejects. */
function coerce(text: string, type: string | undefined): unknown {
  if (type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}
