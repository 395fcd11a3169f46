// The building blocks of the configuration's schema. `expected` completes "<setting> must be …".
import { Type, type TProperties, type TSchema, type TSchemaOptions } from 'typebox'

// Node's timers end at 24 days; a day is more than any request or drain needs.
export const SECONDS_MAX = 86_400
/** A hundred years: catches typing errors. */
export const DAYS_MAX = 36_500

export const NAME = '[A-Za-z0-9][A-Za-z0-9._-]*'

/** The keywords and annotations of the schema, for code that walks over it. */
export type SchemaNode = {
  readonly [
    Key in 'type' | 'description' | 'expected' | 'keys' | 'environment' | 'example'
  ]?: string
} & {
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly items?: SchemaNode
  readonly minItems?: number
  /** The property that must be unique among the entries of a list. */
  readonly uniqueBy?: string
  readonly secret?: 'text' | 'url'
}

export function mapping<P extends TProperties>(
  properties: P,
  description: string,
  initial?: object,
) {
  const options = { additionalProperties: false, description, expected: 'a mapping' }
  return Type.Object(properties, initial ? { ...options, default: initial } : options)
}

export function text(
  pattern: string,
  maxLength: number,
  expected: string,
  options?: TSchemaOptions,
) {
  return Type.String({ pattern: `^${pattern}$`, maxLength, expected, ...options })
}

export function characters(maxLength: number, description: string) {
  const expected = `text of 1 to ${maxLength} characters`
  return Type.String({ minLength: 1, maxLength, expected, description })
}

export function integer(minimum: number, maximum: number, description: string, initial?: number) {
  const expected = `an integer from ${minimum} to ${maximum}`
  const options = { minimum, maximum, expected, description }
  return Type.Integer(initial === undefined ? options : { ...options, default: initial })
}

export function number(minimum: number, maximum: number, initial: number, description: string) {
  const expected = `a number from ${minimum} to ${maximum}`
  return Type.Number({ minimum, maximum, expected, description, default: initial })
}

export function oneOf<const V extends string[]>(
  values: V,
  description: string,
  initial?: V[number],
) {
  const options = { expected: `one of ${values.join(', ')}`, description }
  const all = initial === undefined ? options : { ...options, default: initial }
  return Type.Unsafe<V[number]>(Type.Enum(values, all))
}

export function secretKey(environment: string, description: string) {
  const expected = '32 bytes in base64url: 43 characters without padding'
  return text('[A-Za-z0-9_-]{43}', 43, expected, { description, secret: 'text', environment })
}

/** Keys that are accepted besides the current one while it is replaced. */
export function acceptedKeys(environment: string, description: string) {
  const expected = 'keys of 43 characters each, separated by commas'
  const key = text('[A-Za-z0-9_-]{43}', 43, expected, { secret: 'text' })
  return list(key, expected, { description, environment, default: [] })
}

export function list<T extends TSchema>(items: T, expected: string, options: TSchemaOptions) {
  return Type.Array(items, { uniqueItems: true, expected, ...options })
}
