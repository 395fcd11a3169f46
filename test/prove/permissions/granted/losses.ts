import type { Role } from '../../../../src/tenancy/role.ts'
import { loseRoleOfGroup, provisionMember, type ScimClient } from '../../../harness/servers/scim.ts'
import { askIn, must, type Scene } from './scene.ts'

/** A way in which the maker of a thing loses what they had as an owner. */
export type Loss = {
  readonly name: string
  /** The role that is left; null if they are no member any more. */
  readonly leaves: Role | null
  take(scene: Scene): Promise<unknown>
}

const GONE = { op: 'Replace', path: 'active', value: 'False' }

export const LOSSES: readonly Loss[] = [
  demotion('admin'),
  demotion('member'),
  demotion('viewer'),
  {
    name: 'removed',
    leaves: null,
    take: (scene) => must(askIn(scene, scene.owner, 'DELETE', memberOf(scene))),
  },
  {
    name: 'removed, keys moved',
    leaves: null,
    take: (scene) => must(askIn(scene, scene.owner, 'DELETE', `${memberOf(scene)}?keys=move`)),
  },
  {
    name: 'left',
    leaves: null,
    take: (scene) => must(askIn(scene, scene.maker, 'DELETE', './members/me')),
  },
  bySCIM('deactivated by SCIM', null, (scim, { maker }) =>
    scim.patch(`/Users/${maker.accountId}`, GONE),
  ),
  bySCIM('deleted by SCIM', null, (scim, { maker }) =>
    scim.ask('DELETE', `/Users/${maker.accountId}`),
  ),
  bySCIM('group deleted by SCIM', 'member', (scim, scene) =>
    loseRoleOfGroup(scene.console_.postgres, scim, {
      organizationId: scene.organizationId,
      accountId: scene.maker.accountId,
    }),
  ),
  {
    name: 'account restricted',
    leaves: null,
    take: (scene) =>
      must(askIn(scene, scene.operator, 'PATCH', accountOf(scene), { body: RESTRICTED })),
  },
  {
    name: 'account deleted',
    leaves: null,
    take: (scene) => must(askIn(scene, scene.operator, 'DELETE', accountOf(scene))),
  },
  {
    name: 'organization deleted',
    leaves: null,
    take: (scene) =>
      must(
        askIn(scene, scene.operator, 'DELETE', `/operator/organizations/${scene.organizationId}`),
      ),
  },
]

const RESTRICTED = { state: 'restricted' }

function memberOf({ maker }: Scene): string {
  return `./members/${maker.accountId}`
}

function accountOf({ maker }: Scene): string {
  return `/operator/accounts/${maker.accountId}`
}

function demotion(role: Role): Loss {
  return {
    name: `now ${role}`,
    leaves: role,
    take: (scene) => must(askIn(scene, scene.owner, 'PATCH', memberOf(scene), { body: { role } })),
  }
}

function bySCIM(
  name: string,
  leaves: Role | null,
  say: (scim: ScimClient, scene: Scene) => ReturnType<ScimClient['ask']>,
): Loss {
  return {
    name,
    leaves,
    async take(scene) {
      const { console_, organizationId, maker } = scene
      const ids = { organizationId, accountId: maker.accountId }
      const scim = await provisionMember(console_.postgres, console_.root, ids)
      await must(say(scim, scene))
    },
  }
}
