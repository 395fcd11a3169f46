import { PERIODS } from '../../parts/use-period.ts'
import { oneOf, present, textOf, type RawSearch } from '../../shell/search.ts'

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
    period: oneOf(search['period'], PERIODS),
    /** How the actor came. */
    via: oneOf(search['via'], ACTOR_KINDS),
    /** How often people opened the playground fills the log: it is left out by default. */
    playground: oneOf(search['playground'], ['shown']),
    /** The event that is open. */
    event: textOf(search['event']),
  })
}

export type AuditSearch = ReturnType<typeof readAuditSearch>

const OPENED = 'playground.open'

/** What the log is asked for, but the time. */
export function filtersOf({ actor, action, target, via, playground }: AuditSearch) {
  const isLeftOut = playground === undefined && action === undefined
  const without = isLeftOut ? OPENED : undefined
  return { actor, action, without_action: without, target, actor_kind: via }
}
