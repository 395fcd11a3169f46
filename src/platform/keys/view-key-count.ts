import type { KeyCount } from '../../contract/management/schemas.ts'
import { KEYS_COUNTED_MAX } from '../../store/tenants/count-keys.ts'

export function viewKeyCount(counted: number): KeyCount {
  return { count: Math.min(counted, KEYS_COUNTED_MAX), more: counted > KEYS_COUNTED_MAX }
}
