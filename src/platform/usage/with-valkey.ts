import { ApiError } from '../../contract/error.ts'
import { ValkeyUnavailable } from '../../store/valkey/valkey.ts'

/** 503 while Valkey cannot be asked. */
export async function withValkey<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read()
  } catch (cause) {
    if (!(cause instanceof ValkeyUnavailable)) throw cause
    throw new ApiError(
      'rate_limit_unavailable',
      'Live limits and refused requests cannot be read at the moment. Retry shortly.',
      { cause, headers: { 'retry-after': '1' } },
    )
  }
}
