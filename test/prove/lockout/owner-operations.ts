import { ask, type Answer, type Headers } from '../../harness/processes/console.ts'
import type { Operation } from './operation.ts'
import { getIn, signedIn, withSso, type Person } from './person.ts'
import { addDomain, asOwner, connectProvider, type Scene } from './scene.ts'

const ORGANIZATION = '/organizations/{organization}'

/** A call below the organization, as somebody who is signed in. */
type Call = (method: string, path: string, body?: object) => Promise<Answer>

function byOwner(
  act: (call: Call, scene: Scene, as: Headers) => Promise<unknown>,
  who: (scene: Scene) => Person = ({ owner }) => owner,
): Operation['run'] {
  return async (scene) => {
    const as = await signedIn(asOwner(scene, who(scene)))
    if (as !== null) await act(callAs(scene, as), scene, as)
  }
}

function callAs({ bench, path, watch }: Scene, as: Headers): Call {
  return async (method, below, body) =>
    watch(
      await ask(bench.root, method, `${path}${below}`, { as, ...(body !== undefined && { body }) }),
    )
}

async function deleteAll(call: Call, path: string): Promise<void> {
  const list = await call('GET', path)
  for (const { id } of list.status === 200 ? list.body.data : [])
    await call('DELETE', `${path}/${id}`)
}

async function changeRules(call: Call, change: object): Promise<void> {
  const rules = await call('GET', '/sign-in')
  if (rules.status === 200) await call('PUT', '/sign-in', { ...rules.body, ...change })
}

/** Only somebody who signed in with SSO may forbid everything else. */
async function allowOnlySso(scene: Scene): Promise<void> {
  const visit = asOwner(scene, scene.owner)
  const as = await withSso(visit)
  if (as === null) return void (await getIn(visit))
  visit.person.as = as
  await changeRules(callAs(scene, as), { sso_only: true })
}

/** What owners do with their organization, and what their provider does. */
export const OWNER_OPERATIONS: readonly Operation[] = [
  {
    name: 'connect a provider',
    covers: [`POST ${ORGANIZATION}/sso-connections`],
    run: byOwner((_call, scene, as) => connectProvider(scene, as)),
  },
  {
    name: 'enter a wrong client secret',
    needsRescue: true,
    covers: [`PATCH ${ORGANIZATION}/sso-connections/{connection}`],
    run: byOwner(async (call) => {
      const list = await call('GET', '/sso-connections')
      for (const { id } of list.body.data)
        await call('PATCH', `/sso-connections/${id}`, { client_secret: 'of another client' })
    }),
  },
  {
    name: 'let the client secret expire',
    needsRescue: true,
    covers: [],
    run: ({ bench }) => Promise.resolve(void (bench.provider.secretExpired = true)),
  },
  {
    name: 'delete every provider',
    covers: [`DELETE ${ORGANIZATION}/sso-connections/{connection}`],
    run: byOwner((call) => deleteAll(call, '/sso-connections')),
  },
  {
    name: 'add a domain',
    covers: [`POST ${ORGANIZATION}/domains`, `POST ${ORGANIZATION}/domains/{domain}/verify`],
    run: byOwner((_call, scene, as) => addDomain(scene, as)),
  },
  {
    name: 'delete every domain',
    covers: [`DELETE ${ORGANIZATION}/domains/{domain}`],
    run: byOwner((call) => deleteAll(call, '/domains')),
  },
  { name: 'allow only SSO', covers: [`PUT ${ORGANIZATION}/sign-in`], run: allowOnlySso },
  {
    name: 'allow more than SSO',
    covers: [`PUT ${ORGANIZATION}/sign-in`],
    run: byOwner((call) => changeRules(call, { sso_only: false })),
  },
  {
    name: 'require a second factor',
    covers: [`PUT ${ORGANIZATION}/sign-in`],
    run: byOwner((call) => changeRules(call, { second_factor_required: true })),
  },
  {
    name: 'allow some networks only',
    covers: [`PUT ${ORGANIZATION}/allowed-networks`],
    run: byOwner(async (call) => {
      for (const networks of [['192.0.2.0/24'], ['127.0.0.0/8', '::1/128']])
        await call('PUT', '/allowed-networks', { networks })
    }),
  },
  {
    name: 'make the admin an owner',
    covers: [`PATCH ${ORGANIZATION}/members/{account}`],
    run: byOwner((call, { admin }) =>
      call('PATCH', `/members/${admin.accountId}`, { role: 'owner' }),
    ),
  },
  {
    name: 'give up being owner',
    covers: [`PATCH ${ORGANIZATION}/members/{account}`],
    run: byOwner((call, { owner }) =>
      call('PATCH', `/members/${owner.accountId}`, { role: 'member' }),
    ),
  },
  {
    name: 'leave',
    covers: [`DELETE ${ORGANIZATION}/members/me`],
    run: byOwner((call) => call('DELETE', '/members/me')),
  },
  {
    name: 'be removed by another owner',
    covers: [`DELETE ${ORGANIZATION}/members/{account}`],
    run: byOwner(
      (call, { owner }) => call('DELETE', `/members/${owner.accountId}`),
      ({ admin }) => admin,
    ),
  },
]
