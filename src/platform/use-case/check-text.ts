import { ApiError } from '../../contract/error.ts'

/** Refuses what would break the lines of a log or of a terminal. */
export function checkText(text: string, param: string): void {
  if (!/\p{Cc}/u.test(text)) return
  throw new ApiError('invalid_value', `'${param}' must have no control characters.`, { param })
}
