import { hashPassword } from '../../../src/platform/sign-in/identity/password.ts'
import { setPassword as storePassword } from '../../../src/store/sign-in/passwords.ts'
import type { PlatformRole, Role } from '../../../src/tenancy/role.ts'
import {
  ask,
  openPerson,
  type Answer,
  type Headers,
  type PersonFacts,
} from '../../harness/processes/console.ts'
import { PASSWORD } from '../../harness/clients/sign-in.ts'
import { openOrganization } from '../../harness/seed/tenants.ts'
import type { Bench } from './bench.ts'
import { addApp, addPasskey, type Judge, type Person, type Visit } from './person.ts'

/** An organization with its people, and two operators of the service. */
export type Scene = {
  readonly bench: Bench
  readonly organizationId: string
  readonly path: string
  readonly domain: string
  readonly owner: Person
  readonly admin: Person
  readonly operator: Person
  readonly otherOperator: Person
  readonly watch: (answer: Answer) => Answer
}

/** All passwords are the same at first, so that each is computed only once. */
const phc = await hashPassword(PASSWORD)

let serial = 0

/** With `equipped`, SSO is set up, and owner and operator have an app and a passkey. */
export async function openScene(
  bench: Bench,
  equipped: boolean,
  watch: Scene['watch'],
): Promise<Scene> {
  serial += 1
  const domain = `company-${serial}.example`
  const { id: organizationId } = await openOrganization(bench.database, 'ample')
  const open = (name: string, facts: PersonFacts) => openOne(bench, `${name}@${domain}`, facts)
  const member = (role: Role) => ({ organizationId, role })
  const platform = (platformRole: PlatformRole) => ({ platformRole })
  const scene: Scene = {
    bench,
    organizationId,
    path: `/organizations/${organizationId}`,
    domain,
    owner: await open('owner', member('owner')),
    admin: await open('admin', member('admin')),
    operator: await open('operator', platform('operator')),
    otherOperator: await open('other-operator', platform('operator')),
    watch,
  }
  if (equipped) await equip(scene)
  return scene
}

async function openOne(bench: Bench, email: string, facts: PersonFacts): Promise<Person> {
  const { accountId, as } = await openPerson(bench.postgres, facts)
  await bench.database.updateTable('accounts').set({ email }).where('id', '=', accountId).execute()
  await storePassword(bench.database, accountId, phc)
  const [name = ''] = email.split('@')
  const things = { password: PASSWORD, app: null, recoveryCodes: [], passkey: null }
  return { name, accountId, email, as, ...things }
}

/** Owners read the rules about signing in, which they can then also change. */
export function asOwner(scene: Scene, person: Person): Visit {
  return visitOf(scene, person, (as) => get(scene, `${scene.path}/sign-in`, as))
}

export function asOperator(scene: Scene, person: Person): Visit {
  return visitOf(scene, person, async (as) => {
    const read = await get(scene, `/operator/organizations/${scene.organizationId}`, as)
    if (read.status !== 200) return read
    const me = await get(scene, '/me', as)
    return me.body['platform_role'] === 'operator' ? me : { ...me, status: 403 }
  })
}

function visitOf({ bench, watch }: Scene, person: Person, judge: Judge): Visit {
  return { bench, person, judge, watch }
}

async function get({ bench, watch }: Scene, path: string, as: Headers): Promise<Answer> {
  return watch(await ask(bench.root, 'GET', path, { as }))
}

async function equip(scene: Scene): Promise<void> {
  for (const visit of [asOwner(scene, scene.owner), asOperator(scene, scene.operator)]) {
    must(await addApp(visit, visit.person.as))
    must(await addPasskey(visit, visit.person.as))
  }
  must(await connectProvider(scene, scene.owner.as))
  must(await addDomain(scene, scene.owner.as))
}

function must({ status, text }: Answer): void {
  if (status >= 300) throw new Error(`the scene could not be set up: ${status} ${text}`)
}

export async function connectProvider({ bench, path, watch }: Scene, as: Headers): Promise<Answer> {
  const { issuer, clientId: client_id, clientSecret: client_secret } = bench.provider
  const body = { name: 'Provider', issuer, client_id, client_secret }
  const made = watch(await ask(bench.root, 'POST', `${path}/sso-connections`, { as, body }))
  if (made.status === 201) bench.provider.redirectUris.add(String(made.body['redirect_uri']))
  return made
}

/** Adds the domain, publishes its record and verifies it. */
export async function addDomain(
  { bench, path, domain, watch }: Scene,
  as: Headers,
): Promise<Answer> {
  const added = watch(await ask(bench.root, 'POST', `${path}/domains`, { as, body: { domain } }))
  if (added.status !== 201) return added
  const { name, value } = added.body['record'] as { name: string; value: string }
  bench.dns.records.set(name, [value])
  const verify = `${path}/domains/${added.body.id}/verify`
  return watch(await ask(bench.root, 'POST', verify, { as, body: {} }))
}

/** Undoes what would reach into the next scene: settings of the service, and its operators. */
export async function closeScene({ bench }: Scene): Promise<void> {
  const { database, provider, settings } = bench
  provider.secretExpired = false
  provider.redirectUris.clear()
  bench.mail.emails.length = 0
  await database.deleteFrom('one_time_factors').execute()
  await database.deleteFrom('sso_connections').execute()
  await database
    .updateTable('accounts')
    .set({ platform_role: null })
    .where('platform_role', 'is not', null)
    .execute()
  if (settings.requireSecondFactor !== 'operators' || settings.acceptedKeys.length > 0)
    await bench.restart({ requireSecondFactor: 'operators', acceptedKeys: [] })
}
