import { ApiError } from '../../contract/error.ts'

/** A time that is still to come. */
export function readFutureTime(text: string, param: string): Date {
  const time = new Date(text)
  if (time.getTime() > Date.now()) return time
  throw new ApiError('invalid_value', `'${param}' must be a time in the future.`, { param })
}
