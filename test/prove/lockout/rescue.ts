import { findAccount } from '../../../src/store/tenants/accounts.ts'
import { STRANGER, tokenIn } from '../../harness/clients/sign-in.ts'
import type { Bench } from './bench.ts'
import { getIn, setPassword, type Visit } from './person.ts'
import { asOperator, asOwner, type Scene } from './scene.ts'

/** How somebody got in: by these ways alone, or after these commands. */
export type Entry = { readonly ways: readonly string[]; readonly commands: readonly string[] }

/** It returns null if there was nothing to do. */
type Command = { readonly name: string; run(visit: Visit): Promise<unknown> }

const RESET_FACTORS: Command = {
  name: 'account reset-factors',
  async run({ bench, person }) {
    await bench.command('account', 'reset-factors', person.accountId)
    Object.assign(person, { app: null, recoveryCodes: [], passkey: null })
  },
}

const RESET_LINK: Command = {
  name: 'account reset-link',
  async run(visit) {
    const made = await visit.bench.command('account', 'reset-link', visit.person.accountId)
    return setPassword(visit, tokenIn(String(made?.['link'])))
  },
}

/** For an account that is restricted or, with a role, has lost it. */
const activate = (role: 'operator' | null): Command => ({
  name: `account change --state active${role === null ? '' : ` --platform-role ${role}`}`,
  async run({ bench, person: { accountId } }) {
    const { state, platform_role } = await findAccount(bench.database, accountId)
    if (state === 'active' && (role === null || platform_role === role)) return null
    const options = ['--state', 'active', ...(role === null ? [] : ['--platform-role', role])]
    return bench.command('account', 'change', accountId, ...options)
  },
})

function commandsForOwner({ organizationId: id }: Scene): readonly Command[] {
  const within = ['--organization', id]
  return [
    {
      name: 'organization sign-in --no-sso-only',
      async run({ bench }) {
        const done = await bench.command('organization', 'sign-in', id, '--no-sso-only')
        return done?.['sso_only_before'] === true ? done : null
      },
    },
    activate(null),
    ...['add', 'change'].map((verb) => ({
      name: `member ${verb} --role owner`,
      run: ({ bench, person }: Visit) =>
        bench.command('member', verb, person.accountId, ...within, '--role', 'owner'),
    })),
    RESET_FACTORS,
    RESET_LINK,
  ]
}

const COMMANDS_FOR_OPERATOR = [activate('operator'), RESET_FACTORS, RESET_LINK]

async function isDeleted(
  { database }: Bench,
  table: 'accounts' | 'organizations',
  id: string,
): Promise<boolean> {
  const row = database.selectFrom(table).select('deleted_at').where('id', '=', id)
  return (await row.executeTakeFirstOrThrow()).deleted_at !== null
}

/** Whoever is owner now gets in; otherwise commands help the first owner. Null: locked out. */
export async function enterAsOwner(scene: Scene): Promise<Entry | null> {
  const { bench, owner, admin } = scene
  // Whoever ended it wanted that; there is nothing to get into.
  if (await isDeleted(bench, 'organizations', scene.organizationId))
    return { ways: ['its end'], commands: [] }
  const owners = await listOwners(bench, scene.organizationId)
  for (const person of [owner, admin].filter(({ accountId }) => owners.has(accountId))) {
    const ways = await getIn(asOwner(scene, person), true)
    if (ways.length > 0) return { ways, commands: [] }
  }
  const left = (await isDeleted(bench, 'accounts', owner.accountId)) ? admin : owner
  return rescue(asOwner(scene, left), commandsForOwner(scene))
}

export async function enterAsOperator(scene: Scene): Promise<Entry | null> {
  for (const person of [scene.operator, scene.otherOperator]) {
    // Nobody is sent a link to an account that is gone.
    if (await isDeleted(scene.bench, 'accounts', person.accountId)) continue
    const ways = await getIn(asOperator(scene, person), true)
    if (ways.length > 0) return { ways, commands: [] }
  }
  for (const person of [scene.operator, scene.otherOperator])
    if (!(await isDeleted(scene.bench, 'accounts', person.accountId)))
      return rescue(asOperator(scene, person), COMMANDS_FOR_OPERATOR)
  return enterAsNewOperator(scene)
}

/** Both operators were deleted: whoever runs the service makes another one. */
async function enterAsNewOperator(scene: Scene): Promise<Entry | null> {
  const email = `new-operator@${scene.domain}`
  const made = await scene.bench.command('account', 'create', email, '--operator')
  if (made === null) return null
  const accountId = String(made['id'])
  const nothing = { password: null, app: null, recoveryCodes: [], passkey: null, as: STRANGER }
  const visit = asOperator(scene, { name: 'new-operator', accountId, email, ...nothing })
  await setPassword(visit, tokenIn(String(made['link'])))
  const ways = await getIn(visit)
  return ways.length === 0 ? null : { ways, commands: ['account create --operator'] }
}

async function listOwners({ database }: Bench, organizationId: string): Promise<Set<string>> {
  const rows = await database
    .selectFrom('memberships')
    .select('account_id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .where('state', '=', 'active')
    .execute()
  return new Set(rows.map((row) => row.account_id))
}

async function rescue(visit: Visit, commands: readonly Command[]): Promise<Entry | null> {
  const used: string[] = []
  for (const command of commands) {
    if ((await command.run(visit)) === null) continue
    used.push(command.name)
    const ways = await getIn(visit)
    if (ways.length > 0) return { ways, commands: used }
  }
  return null
}
