import { SCIM_ROUTES } from '../../../src/platform/api/scim/scim-routes.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { setUpScim, type ScimClient } from '../../harness/servers/scim.ts'
import type { SsoBench } from '../../harness/servers/sso-bench.ts'

/** Everything that the accounts, members and groups of an organization are. */
async function readAll({ console_ }: SsoBench, organizationId: string): Promise<string> {
  const { database } = console_.postgres
  const rows = [
    await database
      .selectFrom('memberships')
      .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
      .selectAll('accounts')
      .select(['memberships.role', 'memberships.state'])
      .where('organization_id', '=', organizationId)
      .orderBy('account_id')
      .execute(),
    await database
      .selectFrom('scim_users')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .orderBy('account_id')
      .execute(),
    await database
      .selectFrom('scim_groups')
      .leftJoin('scim_group_members', 'scim_group_members.group_id', 'scim_groups.id')
      .selectAll('scim_groups')
      .select('scim_group_members.account_id')
      .where('organization_id', '=', organizationId)
      .orderBy('id')
      .execute(),
  ]
  return JSON.stringify(rows)
}

/** Every route with the ids of another organization, and its addresses in every place of a body. */
export async function tryForeignUsers(run: ProofRun, bench: SsoBench) {
  const victim = await setUpScim(bench)
  const attacker = await setUpScim(bench)
  const email = `victim@${victim.domain}`
  const user = await victim.scim.create(email)
  const made = await victim.scim.ask('POST', '/Groups', {
    displayName: 'Theirs',
    members: [{ value: user }],
  })
  const outside = await bench.console_.openPerson({ organizationId: attacker.organizationId })
  const untouched = await readAll(bench, victim.organizationId)
  const own = await attacker.scim.create(`own@${attacker.domain}`)
  const asked = [
    ...(await tryIds(attacker.scim, [user, victim.owner.accountId, outside.accountId], 'Users')),
    ...(await tryIds(attacker.scim, [made.body.id], 'Groups')),
    ...(await tryAddresses(attacker.scim, [email, victim.owner.email, outside.email])),
    ...(await tryMembers(attacker.scim, [user, outside.accountId], own)),
  ]
  for (const { what, status, text } of asked) {
    if (status !== 404 && status !== 400) run.fail(`${what}: answered ${status}`)
    if (text.includes(victim.domain)) run.fail(`${what}: tells of the other organization: ${text}`)
  }
  if ((await readAll(bench, victim.organizationId)) !== untouched)
    run.fail('a token changed something of another organization')
  return { foreign_requests: asked.length }
}

type Tried = { readonly what: string; readonly status: number; readonly text: string }

async function tryOne(scim: ScimClient, method: string, path: string, body?: object) {
  const { status, text } = await scim.ask(method, path, body)
  return { what: `${method} ${path} ${JSON.stringify(body ?? {})}`, status, text }
}

async function tryIds(
  scim: ScimClient,
  ids: readonly string[],
  collection: 'Users' | 'Groups',
): Promise<Tried[]> {
  const routes = SCIM_ROUTES.filter(({ path }) => path === `/${collection}/{id}`)
  const tried: Tried[] = []
  for (const id of ids)
    for (const { method, path, example } of routes)
      tried.push(await tryOne(scim, method, path.replace('{id}', id), example?.body))
  return tried
}

/** An address of somebody else is no user, wherever it is written. */
async function tryAddresses(scim: ScimClient, emails: readonly string[]): Promise<Tried[]> {
  const tried: Tried[] = []
  for (const email of emails)
    for (const body of [
      { userName: email },
      { userName: email.toUpperCase(), active: false },
      { userName: 'somebody', emails: [{ value: email, primary: true }] },
      { userName: 'somebody', emails: [{ value: email }] },
    ])
      tried.push(await tryOne(scim, 'POST', '/Users', body))
  return tried
}

async function tryMembers(scim: ScimClient, ids: readonly string[], own: string): Promise<Tried[]> {
  const tried: Tried[] = []
  for (const value of ids) {
    const members = [{ value: own }, { value }]
    tried.push(await tryOne(scim, 'POST', '/Groups', { displayName: 'Mine', members }))
  }
  return tried
}
