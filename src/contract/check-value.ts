import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { ApiError } from './error.ts'
import { findViolation, type Violation } from './find-violation.ts'

const compiled = new WeakMap<TSchema, Validator>()

/** Throws an ApiError for the first violation of a schema. A schema is compiled once. */
export function checkValue(schema: TSchema, value: unknown): void {
  let validator = compiled.get(schema)
  if (validator === undefined) {
    validator = Compile(schema)
    compiled.set(schema, validator)
  }
  if (!validator.Check(value)) throw violationError(findViolation(schema, value))
}

export function violationError(violation: Violation | undefined): ApiError {
  if (violation === undefined) throw new Error('the check rejected a value without a violation')
  const param = truncate(violation.param)
  if (violation.code === 'unsupported_parameter')
    return new ApiError(violation.code, `Unsupported parameter: '${param}'. ${REMOVE_IT}`, {
      param,
    })
  if (violation.code === 'missing_required_parameter')
    return new ApiError(violation.code, `Missing required parameter: '${param}'.`, { param })
  return new ApiError(violation.code, `'${param}' ${violation.must}.`, { param })
}

/** Many programs send parameters that their users never typed. */
const REMOVE_IT = "Remove it from the request or from the client's settings."

/** The name of an unsupported parameter comes from the client, so its length is limited. */
const PARAM_LENGTH_MAX = 128

function truncate(param: string): string {
  return param.length <= PARAM_LENGTH_MAX ? param : `${param.slice(0, PARAM_LENGTH_MAX)}…`
}
