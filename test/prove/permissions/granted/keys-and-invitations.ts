import type { Role } from '../../../../src/tenancy/role.ts'
import { scopesOfRole } from '../../../../src/tenancy/permissions.ts'
import { PUBLIC_URL, type Headers } from '../../../harness/processes/console.ts'
import { issuePlayground } from '../../../harness/clients/playground.ts'
import { askIn, must, type Scene } from './scene.ts'
import { givenBy, type Made, type Thing } from './thing.ts'

type By = (scene: Scene) => Promise<Headers>

const bySession: By = ({ maker }) => Promise.resolve(maker.as)

const byKey: By = ({ console_, organizationId, maker }) =>
  console_.openManagementKey({
    createdBy: maker.accountId,
    organizationId,
    scopes: scopesOfRole('owner'),
  })

const name = () => `p-${crypto.randomUUID().slice(0, 8)}`

/** What gives others a role, or acts with the rights of its maker. */
export const KEYS_AND_INVITATIONS: readonly Thing[] = [
  { name: 'session', keptBy: ['admin'], make: (scene) => calling(scene, bySession, './retention') },
  invitation('owner', bySession, []),
  invitation('admin', bySession, ['admin']),
  invitation('viewer', bySession, ['admin']),
  invitation('admin', byKey, ['admin']),
  invitation('viewer', byKey, ['admin']),
  {
    name: 'management key that reads keys',
    keptBy: ['admin', 'viewer'],
    make: (scene) => calling(scene, byKey, './keys'),
  },
  {
    name: 'management key that invites',
    keptBy: ['admin'],
    make: (scene) =>
      posting(scene, byKey, './invitations', () => ({ email: `${name()}@x.example` })),
  },
  {
    name: 'management key that makes API keys',
    keptBy: ['admin'],
    make: (scene) => posting(scene, byKey, './keys', () => ({ name: name() })),
  },
  repeated('repeated answer to a session', bySession, async () => './projects'),
  repeated('repeated answer to a management key', byKey, async () => './projects'),
  repeated("repeated answer about somebody else's key", bySession, revokedOfOwner),
  {
    name: 'personal API key',
    keptBy: ['admin', 'member'],
    outlives: ['removed, keys moved'],
    make: (scene) => createKey(scene, 'me'),
  },
  {
    name: 'API key of the organization',
    keptBy: ['admin', 'member', 'viewer'],
    outlives: 'maker',
    make: (scene) => createKey(scene, 'organization'),
  },
  {
    name: 'playground credential',
    keptBy: ['admin', 'member'],
    make: async (scene) => {
      const { organizationId, projectId, maker } = scene
      const { accountId } = maker
      return onDataPlane(scene, issuePlayground({ organizationId, projectId, accountId }))
    },
  },
]

function invitation(role: Role, by: By, keptBy: readonly Role[]): Thing {
  return {
    name: `invitation as ${role} by a ${by === byKey ? 'key' : 'person'}`,
    keptBy,
    async make(scene) {
      const guest = await scene.console_.openPerson()
      // A key gives only what it may do itself, so nobody is made owner with one.
      const body = { email: guest.email, role }
      const as = await by(scene)
      const invited = await must(askIn(scene, { as }, 'POST', './invitations', { body }))
      const token = String(invited.body['link']).split('#token=')[1]
      const send = async (who: Headers, path: string) =>
        givenBy(await askIn(scene, { as: who }, 'POST', path, { body: { token } }))
      return {
        before: () => send({ origin: PUBLIC_URL }, '/invitations/look-up'),
        use: () => send(guest.as, '/invitations/accept'),
      }
    },
  }
}

async function calling(scene: Scene, by: By, path: string): Promise<Made> {
  const as = await by(scene)
  return { use: async () => givenBy(await askIn(scene, { as }, 'GET', path)) }
}

async function posting(scene: Scene, by: By, path: string, bodyOf: () => object): Promise<Made> {
  const as = await by(scene)
  return {
    use: async () => givenBy(await askIn(scene, { as }, 'POST', path, { body: bodyOf() })),
  }
}

/** A stored answer, which is repeated for whoever sends the same idempotency key. */
function repeated(what: string, by: By, pathOf: (scene: Scene) => Promise<string>): Thing {
  return {
    name: what,
    keptBy: ['admin'],
    async make(scene) {
      const as = await by(scene)
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const path = await pathOf(scene)
      const body = path.endsWith('/revoke') ? { reason: 'test' } : { name: name() }
      const send = () => askIn(scene, { as }, 'POST', path, { body, headers })
      await must(send())
      return { use: async () => givenBy(await send()) }
    },
  }
}

async function revokedOfOwner(scene: Scene): Promise<string> {
  const body = { name: name(), owner: 'me' }
  const made = await must(askIn(scene, scene.owner, 'POST', './keys', { body }))
  return `./keys/${made.body.id}/revoke`
}

async function createKey(scene: Scene, owner: 'me' | 'organization'): Promise<Made> {
  const body = { name: name(), owner }
  const made = await must(askIn(scene, scene.maker, 'POST', './keys', { body }))
  return onDataPlane(scene, made.body.key)
}

function onDataPlane({ apiRoot }: Scene, credential: string): Made {
  const headers = { authorization: `Bearer ${credential}` }
  return {
    async use() {
      const response = await fetch(`${apiRoot}/models`, { headers })
      return givenBy({ status: response.status, text: await response.text() })
    },
  }
}
