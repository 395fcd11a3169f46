import type { LiveLimits } from '../../contract/management/usage.ts'
import type { Actor } from '../../tenancy/actor.ts'
import { authorize } from '../use-case/authorize.ts'
import { readActorAgain } from '../use-case/read-actor-again.ts'
import { defineRead } from '../use-case/use-case.ts'
import { openMeters } from './read-limits.ts'

const REQUIRED = { permission: 'organization:read' } as const

export type LimitsWatch = {
  /** Whose watch it is: the session or the management key. */
  readonly watcher: string
  readonly organizationId: string
  read(): Promise<LiveLimits>
  /** Reads the caller, their rights and the limits again. Throws if they may no longer watch. */
  renew(): Promise<void>
}

/** The limits of an organization for as long as the caller may see them. */
export const watchLimits = defineRead(
  { action: 'limits.watch', ...REQUIRED },
  async ({ environment, access }, _input: object): Promise<LimitsWatch> => {
    const organization = access.organization.id
    let meters = await openMeters(environment, access)
    return {
      watcher: watcherOf(access.actor),
      organizationId: organization,
      read: () => meters.read(),
      async renew() {
        const actor = await readActorAgain(environment, access.actor)
        meters = await openMeters(
          environment,
          await authorize(environment, actor, REQUIRED, { organization }),
        )
      },
    }
  },
)

function watcherOf(actor: Actor): string {
  if (actor.kind === 'person') return actor.session.id
  return actor.kind === 'management_key' ? actor.id : actor.kind
}
