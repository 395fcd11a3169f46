import type { AuditEvent } from '../../api/routes.ts'

/** Reads of one person with pauses that are shorter than this are one visit. */
const PAUSE_MS = 60_000

type Read = Pick<AuditEvent, 'id' | 'made_at' | 'action'> & {
  readonly actor: Pick<AuditEvent['actor'], 'label'>
}

export type Visit = {
  readonly id: string
  readonly who: string | null
  readonly from: string
  readonly to: string
  /** What was read, each once, in the order of the visit. */
  readonly actions: readonly string[]
}

/** One page calls many routes, and again while it is open. Newest first, like the reads. */
export function groupReads(newestFirst: readonly Read[]): Visit[] {
  const visits: Visit[] = []
  for (const { id, made_at: at, action, actor } of newestFirst) {
    const last = visits.at(-1)
    if (last?.who === actor.label && Date.parse(last.from) - Date.parse(at) < PAUSE_MS)
      visits[visits.length - 1] = {
        ...last,
        id,
        from: at,
        actions: [action, ...last.actions.filter((other) => other !== action)],
      }
    else visits.push({ id, who: actor.label, from: at, to: at, actions: [action] })
  }
  return visits
}
