import type { CallerKind } from './callers.ts'
import type { Specified } from './specification.ts'

/** `allowed`, or the code of the error. Written from the specification, without `authorize`. */
export function expectedOf(row: Specified, caller: CallerKind, isRead: boolean): string {
  const always = ALWAYS[caller]
  if (always !== undefined) return always
  const [first = ''] = row.who
  if (first === 'anyone') return 'allowed'
  if (caller === 'nobody') return 'unauthenticated'
  if (first === 'partial') return ofSelf(row, caller)
  if (caller === 'restricted') return 'account_restricted'
  if (first === 'enrol') return ofSelf(row, caller)
  if (caller === 'no second factor') return 'second_factor_required'
  if (first === 'self') return ofSelf(row, caller)
  if (caller === 'waiting') return 'platform_access_required'
  if (caller === 'unregistered') return 'onboarding_pending'
  if (first === 'active') return ofSelf(row, caller)
  if (caller === 'unconfirmed') return row.confirmed ? 'confirmation_required' : 'allowed'
  return first === 'S' || first === 'P'
    ? onPlatform(row, caller)
    : inOrganization(row, caller, isRead)
}

/** What is decided before anything about the route is looked at. */
const ALWAYS: Partial<Record<CallerKind, string>> = {
  'key that expired': 'invalid_management_key',
  'API key': 'invalid_management_key',
  'SCIM token': 'invalid_management_key',
  'playground credential': 'invalid_management_key',
  'cookie and key': 'invalid_value',
}

function ofSelf(row: Specified, caller: CallerKind): string {
  if (caller.includes('key')) return 'scope_required'
  return caller === 'unconfirmed' && row.confirmed ? 'confirmation_required' : 'allowed'
}

function onPlatform({ who, scope, ownOnly }: Specified, caller: CallerKind): string {
  if (caller === 'platform key') return scope === null || ownOnly ? 'scope_required' : 'allowed'
  if (caller.includes('key')) return 'scope_required'
  if (caller === 'operator') return 'allowed'
  if (caller.startsWith('support') && who.includes('S:consent'))
    return caller === 'support with consent' ? 'allowed' : 'not_found'
  if (caller.startsWith('support')) return who.includes('S') ? 'allowed' : 'role_required'
  return 'role_required'
}

function inOrganization(row: Specified, caller: CallerKind, isRead: boolean): string {
  const { who, scope, givesRole, ownOnly } = row
  const keyMay = scope === null ? 'scope_required' : ownOnly ? 'role_required' : 'allowed'
  const has = (role: string) => who.includes(role) || who.includes(`${role}:own`)
  const own = who.includes('m:own')
  const member = who.includes('m') || own
  const answers: Partial<Record<CallerKind, string>> = {
    viewer: who.includes('v') ? 'allowed' : 'role_required',
    member: member ? 'allowed' : 'role_required',
    'member, of another': own ? 'not_found' : member ? 'allowed' : 'role_required',
    admin: has('a') ? 'allowed' : 'role_required',
    owner: has('o') ? 'allowed' : 'role_required',
    'support with consent': isRead ? 'allowed' : 'role_required',
    'key with the scope': givesRole ? 'scope_required' : keyMay,
    'key with every scope': keyMay,
    'key with another scope': 'scope_required',
  }
  return answers[caller] ?? 'not_found'
}
