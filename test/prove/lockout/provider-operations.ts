import { ask, type Headers } from '../../harness/processes/console.ts'
import { openScimClient, type ScimClient } from '../../harness/servers/scim.ts'
import type { Operation } from './operation.ts'
import { signedIn } from './person.ts'
import { asOwner, type Scene } from './scene.ts'

const ORGANIZATION = '/organizations/{organization}'

/** The owner makes a token, and then the provider goes on without them. */
function byProvider(
  act: (scim: ScimClient, scene: Scene, as: Headers) => Promise<unknown>,
): Operation['run'] {
  return async (scene) => {
    const { bench, path, watch } = scene
    const as = await signedIn(asOwner(scene, scene.owner))
    if (as === null) return
    const body = { name: 'Provider' }
    const made = watch(await ask(bench.root, 'POST', `${path}/scim-tokens`, { as, body }))
    if (made.status !== 201) return
    const scim = openScimClient(bench.root, String(made.body['token']))
    const watched = async (...request: Parameters<ScimClient['ask']>) =>
      watch(await scim.ask(...request))
    await act({ ...scim, ask: watched }, scene, as)
  }
}

/** Everybody whom the provider sees. */
async function usersOf(scim: ScimClient): Promise<string[]> {
  const { body } = await scim.ask('GET', '/Users')
  return ((body['Resources'] ?? []) as { id: string }[]).map(({ id }) => id)
}

const GONE = { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] }

/** Gives everybody the role of owner by a group, and takes it from everybody again. */
async function giveAndTake(scim: ScimClient, { bench, path, watch }: Scene, as: Headers) {
  const body = { roles: [{ group: 'Owners', role: 'owner' }] }
  watch(await ask(bench.root, 'PUT', `${path}/scim`, { as, body }))
  const members = (await usersOf(scim)).map((value) => ({ value }))
  const made = await scim.ask('POST', '/Groups', { displayName: 'Owners', members })
  if (made.status !== 201) return
  const group = `/Groups/${made.body.id}`
  await scim.ask('PUT', group, { displayName: 'Owners', members: members.slice(1) })
  await scim.ask('PATCH', group, { Operations: [{ op: 'remove', path: 'members' }] })
  await scim.ask('PATCH', group, { Operations: [{ op: 'replace', value: { displayName: 'x' } }] })
  await scim.ask('DELETE', group)
  watch(await ask(bench.root, 'PUT', `${path}/scim`, { as, body: { roles: [] } }))
}

/** What an identity provider does by SCIM. */
export const PROVIDER_OPERATIONS: readonly Operation[] = [
  {
    name: 'let the provider deactivate everybody',
    covers: [`POST ${ORGANIZATION}/scim-tokens`, 'PATCH /Users/{id}', 'PUT /Users/{id}'],
    run: byProvider(async (scim) => {
      for (const id of await usersOf(scim)) {
        await scim.ask('PATCH', `/Users/${id}`, GONE)
        await scim.ask('PUT', `/Users/${id}`, { userName: `u-${id}`, active: false })
      }
    }),
  },
  {
    name: 'let the provider delete everybody',
    covers: ['DELETE /Users/{id}'],
    run: byProvider(async (scim) => {
      for (const id of await usersOf(scim)) await scim.ask('DELETE', `/Users/${id}`)
    }),
  },
  {
    name: 'let a group give and take roles',
    covers: [
      `PUT ${ORGANIZATION}/scim`,
      'POST /Groups',
      'PUT /Groups/{id}',
      'PATCH /Groups/{id}',
      'DELETE /Groups/{id}',
    ],
    run: byProvider(giveAndTake),
  },
  {
    name: 'let the provider create people',
    covers: ['POST /Users'],
    run: byProvider((scim, { domain, owner }) =>
      Promise.all([
        scim.ask('POST', '/Users', { userName: `new@${domain}` }),
        scim.ask('POST', '/Users', { userName: owner.email, active: false }),
      ]),
    ),
  },
]
