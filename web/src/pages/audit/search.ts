import { oneOf, present, textOf, type RawSearch } from '../../shell/search.ts'

export const AUDIT_PERIODS = ['24h', '7d', '30d', '90d'] as const
export type AuditPeriod = (typeof AUDIT_PERIODS)[number]

export const ACTOR_KINDS = [
  'person',
  'management_key',
  'scim_token',
  'operator_shell',
  'support',
  'system',
] as const
export type ActorKind = (typeof ACTOR_KINDS)[number]

export function readAuditSearch(search: RawSearch) {
  return present({
    /** Id of an account or a key, or the name of a system user. */
    actor: textOf(search['actor']),
    action: textOf(search['action']),
    /** Id of what was changed. */
    target: textOf(search['target']),
    period: oneOf(search['period'], AUDIT_PERIODS),
    /** How the actor came. */
    via: oneOf(search['via'], ACTOR_KINDS),
    /** The event that is open. */
    event: textOf(search['event']),
  })
}
