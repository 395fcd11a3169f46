import { useMe } from '../../shell/session.ts'

/** Support reads and admits people; it changes nothing else. */
export function useMayChange(): boolean {
  return useMe().data?.platform_role === 'operator'
}
