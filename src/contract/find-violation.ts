import type { TSchema } from 'typebox'
import { Test } from 'typebox/format'
import { Check } from 'typebox/value'
import { isObject } from '../lib/is-object.ts'
import type { ErrorName } from './error.ts'

/** The first violation in a value: its path, its error code, and what the value must be. */
export type Violation = {
  readonly code: Extract<
    ErrorName,
    'invalid_value' | 'unsupported_value' | 'unsupported_parameter' | 'missing_required_parameter'
  >
  readonly param: string
  /** Completes a sentence that begins with the parameter: "must be at most 2". */
  readonly must: string
}

/** The subset of JSON Schema that the contract uses. */
type Rule = {
  readonly type?: string
  readonly format?: string
  readonly pattern?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Rule[]
  readonly 'x-discriminator'?: string
  readonly properties?: Readonly<Record<string, Rule>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Rule
  readonly propertyNames?: Rule
  readonly maxProperties?: number
  readonly items?: Rule
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly 'x-error-code'?: 'unsupported_value'
}

/**
 * Explains why a value is invalid. TypeBox decides fast, but for a union it reports the violations
 * of every branch, and a client needs the one parameter to correct. Runs only after the check
 * failed, and finds a violation exactly if the check fails (ensured by a property test).
 */
export function findViolation(schema: TSchema, value: unknown): Violation | undefined {
  return violationOf(schema, value, '')
}

function violationOf(rule: Rule, value: unknown, param: string): Violation | undefined {
  const violation = violationWithin(rule, value, param)
  if (violation === undefined || rule['x-error-code'] === undefined) return violation
  return { code: rule['x-error-code'], param, must: `must be ${describe(rule)}` }
}

function violationWithin(rule: Rule, value: unknown, param: string): Violation | undefined {
  if (rule.anyOf !== undefined) return violationOfUnion(rule, rule.anyOf, value, param)
  if (rule.enum !== undefined || rule.const !== undefined) {
    const accepted = rule.enum ?? [rule.const]
    return accepted.includes(value) ? undefined : invalid(param, `must be ${describe(rule)}`)
  }
  if (rule.type !== undefined && !isOfType(rule.type, value))
    return invalid(param, `must be ${describe(rule)}`)
  if (typeof value === 'string') return violationOfString(rule, value, param)
  if (typeof value === 'number') return violationOfNumber(rule, value, param)
  if (Array.isArray(value)) return violationOfArray(rule, value, param)
  if (isObject(value)) return violationOfObject(rule, value, param)
  return undefined
}

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  'date-time': 'a time such as 2026-05-01T08:00:00Z',
  email: 'an email address',
  uri: 'a URI',
}

function violationOfString(rule: Rule, value: string, param: string): Violation | undefined {
  if (rule.format !== undefined && !Test(rule.format, value))
    return invalid(param, `must be ${FORMATS[rule.format] ?? `a ${rule.format}`}`)
  const size = violationOfSize(rule, Array.from(value).length, 'characters', param)
  if (size !== undefined || rule.pattern === undefined) return size
  const fits = Check({ type: 'string', pattern: rule.pattern } as TSchema, value)
  return fits ? undefined : invalid(param, 'has the wrong form')
}

function violationOfUnion(
  union: Rule,
  branches: readonly Rule[],
  value: unknown,
  param: string,
): Violation | undefined {
  const named = union['x-discriminator']
  if (named !== undefined && isObject(value)) {
    const chosen = branches.find((branch) => branch.properties?.[named]?.const === value[named])
    if (chosen !== undefined) return violationOf(chosen, value, param)
    const known = branches.map((branch) => branch.properties?.[named]?.const)
    return invalid(join(param, named), `must be ${describe({ enum: known })}`)
  }
  const fitting = branches.filter((branch) => accepts(branch, value))
  const [only] = fitting
  if (only === undefined) return invalid(param, `must be ${describe(union)}`)
  return violationOf(only, value, param)
}

/** Selects the branch of a union by the JSON type of the value alone. */
function accepts(branch: Rule, value: unknown): boolean {
  if (branch.anyOf !== undefined) return branch.anyOf.some((inner) => accepts(inner, value))
  if (branch.enum !== undefined) return typeof value === 'string'
  return branch.type === undefined || isOfType(branch.type, value)
}

function violationOfArray(
  rule: Rule,
  value: readonly unknown[],
  param: string,
): Violation | undefined {
  const size = violationOfSize(rule, value.length, 'items', param)
  if (size !== undefined || rule.items === undefined) return size
  for (const [index, item] of value.entries()) {
    const violation = violationOf(rule.items, item, `${param}[${index}]`)
    if (violation !== undefined) return violation
  }
  return undefined
}

function violationOfObject(
  rule: Rule,
  value: Readonly<Record<string, unknown>>,
  param: string,
): Violation | undefined {
  const properties = rule.properties ?? {}
  const pairs = violationOfPairs(rule, value, param)
  if (pairs !== undefined) return pairs
  if (rule.additionalProperties === false) {
    const unlisted = Object.keys(value).find((key) => !Object.hasOwn(properties, key))
    if (unlisted !== undefined) {
      const code = 'unsupported_parameter'
      return { code, param: join(param, unlisted), must: 'is not a supported parameter' }
    }
  }
  // In the order of the schema, so that a discriminator is reported before the members it requires.
  for (const [key, property] of Object.entries(properties)) {
    const present = Object.hasOwn(value, key)
    if (!present && rule.required?.includes(key) === true) {
      const code = param === '' ? 'missing_required_parameter' : 'invalid_value'
      return { code, param: join(param, key), must: 'is required' }
    }
    const violation = present ? violationOf(property, value[key], join(param, key)) : undefined
    if (violation !== undefined) return violation
  }
  return undefined
}

/** Of an object whose names the client chooses: they are not repeated in the error. */
function violationOfPairs(
  { maxProperties: most, propertyNames: names, additionalProperties: values }: Rule,
  value: Readonly<Record<string, unknown>>,
  param: string,
): Violation | undefined {
  const pairs = Object.entries(value)
  if (most !== undefined && pairs.length > most)
    return invalid(param, `must have at most ${most} members`)
  if (names !== undefined && pairs.some(([name]) => violationOf(names, name, param) !== undefined))
    return invalid(param, `must have names of at most ${names.maxLength} characters`)
  if (typeof values !== 'object') return undefined
  const isWrong = ([, member]: [string, unknown]) =>
    violationOf(values, member, param) !== undefined
  if (!pairs.some(isWrong)) return undefined
  return invalid(param, `must have strings of at most ${values.maxLength} characters as values`)
}

function violationOfSize(
  rule: Rule,
  size: number,
  unit: string,
  param: string,
): Violation | undefined {
  const least = unit === 'items' ? rule.minItems : rule.minLength
  const most = unit === 'items' ? rule.maxItems : rule.maxLength
  if (least !== undefined && size < least)
    return invalid(param, least === 1 ? 'must not be empty' : `must have at least ${least} ${unit}`)
  if (most !== undefined && size > most) return invalid(param, `must have at most ${most} ${unit}`)
  return undefined
}

function violationOfNumber(rule: Rule, value: number, param: string): Violation | undefined {
  if (rule.minimum !== undefined && value < rule.minimum)
    return invalid(param, `must be at least ${rule.minimum}`)
  if (rule.maximum !== undefined && value > rule.maximum)
    return invalid(param, `must be at most ${rule.maximum}`)
  return undefined
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isObject(value)
    case 'array':
      return Array.isArray(value)
    case 'null':
      return value === null
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  object: 'an object',
  array: 'an array',
  null: 'null',
}

function describe(rule: Rule): string {
  if (rule.anyOf !== undefined) {
    const branches = rule.anyOf.filter((branch) => branch.type !== 'null')
    return [...new Set(branches.map(describe))].join(' or ')
  }
  if (rule.enum !== undefined) return `one of ${rule.enum.map(show).join(', ')}`
  if (rule.const !== undefined) return show(rule.const)
  if (rule.type === 'array' && rule.maxItems === 1 && rule.items?.const !== undefined)
    return `[${show(rule.items.const)}]`
  if (rule.type === 'object' && rule.additionalProperties === false && !hasProperties(rule))
    return 'an empty object'
  return NAMES[rule.type ?? ''] ?? 'a different value'
}

function hasProperties(rule: Rule): boolean {
  return Object.keys(rule.properties ?? {}).length > 0
}

function show(accepted: unknown): string {
  return JSON.stringify(accepted)
}

function invalid(param: string, must: string): Violation {
  return { code: 'invalid_value', param, must }
}

function join(param: string, key: string): string {
  return param === '' ? key : `${param}.${key}`
}
