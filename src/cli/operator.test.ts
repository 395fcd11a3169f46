import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createCommands } from '../../test/harness/processes/command.ts'
import { waitUntil } from '../../test/harness/figures/measure.ts'
import { connectValkey, startValkey } from '../../test/harness/servers/valkey.ts'
import { findOrganization } from '../store/tenants/organizations.ts'
import { openPostgres } from '../store/postgres/postgres.ts'
import { organizationKeys } from '../store/valkey/keys.ts'
import { openValkey } from '../store/valkey/valkey.ts'

const ACME = ['--organization', 'acme']

const commands = await createCommands()
const postgres = openPostgres(commands.databaseUrl, { queryTimeoutMs: 30_000 })
const valkey = openValkey([commands.valkeyUrl])
await valkey.connected(2000)
await commands.answer('account', 'create', 'member@example.com', '--state', 'waiting')
const organizationId = String((await commands.answer('organization', 'create', 'acme'))['id'])

after(async () => {
  await valkey.call('DEL', [organizationKeys(organizationId).version])
  await valkey[Symbol.asyncDispose]()
  await postgres[Symbol.asyncDispose]()
  await commands[Symbol.asyncDispose]()
})

async function versions() {
  const known = await valkey.call('GET', [organizationKeys(organizationId).version])
  const { version } = await findOrganization(postgres.database, organizationId)
  return { known: Number(known), stored: version }
}

/** Runs a command and checks that Valkey has the new version when it ends. */
async function change(...args: string[]): Promise<Record<string, unknown>> {
  const earlier = await versions()
  const answer = await commands.answer(...args)
  const stored = earlier.stored + 1
  assert.deepEqual(await versions(), { known: stored, stored }, args.join(' '))
  return answer
}

test('adding, changing, removing and restoring a member reaches Valkey', async () => {
  const member = 'member@example.com'
  const names = { organization: 'acme', account: member }
  assert.deepEqual(await change('member', 'add', member, ...ACME), {
    ...names,
    role: 'member',
    state: 'active',
  })
  assert.deepEqual(await change('member', 'change', member, ...ACME, '--role', 'admin'), {
    ...names,
    role: 'admin',
    state: 'active',
  })
  assert.deepEqual(await change('member', 'remove', member, ...ACME), {
    ...names,
    role: 'admin',
    state: 'removed',
  })
  const gone = await commands.run(['member', 'change', member, ...ACME, '--role', 'owner'])
  assert.deepEqual([gone.code, gone.stderr], [1, 'headrace: the account is not a member\n'])
  await change('member', 'add', member, ...ACME, '--role', 'owner')
  const again = await commands.run(['member', 'add', member, ...ACME])
  assert.deepEqual([again.code, again.stderr], [1, 'headrace: the account is already a member\n'])
  const { stdout } = await commands.run(['member', 'list', ...ACME])
  assert.match(
    stdout,
    /^account_id +email +role +state\n\S+ +member@example\.com +owner +active\n$/,
  )
})

test('changing an account by address or id reaches Valkey', async () => {
  const shown = await commands.answer('account', 'show', 'Member@Example.com')
  assert.equal(shown['state'], 'waiting')
  const changed = await change('account', 'change', String(shown['id']), '--state', 'active')
  assert.equal(changed['state'], 'active')
  const unregistered = await change('account', 'change', 'member@example.com', '--no-registered')
  assert.equal(unregistered['registered_at'], null)
  const registered = await change('account', 'change', 'member@example.com', '--registered')
  assert.equal(typeof registered['registered_at'], 'string')
  const nothing = await commands.run(['account', 'change', 'member@example.com'])
  assert.equal(nothing.code, 1)
  assert.match(nothing.stderr, /^headrace: nothing to change/)
  const twice = await commands.run(['account', 'create', 'MEMBER@example.com'])
  assert.match(twice.stderr, /^headrace: an account with this email address already exists\n$/)
  const noAddress = await commands.run(['account', 'create', 'nonsense'])
  assert.match(noAddress.stderr, /^headrace: 'email' must be one email address\n$/)
  const { stdout } = await commands.run(['account', 'list'])
  assert.match(stdout, /^id +email +state +registered_at\n\S+ +member@example\.com +active /)
})

test('changing an organization reaches Valkey', async () => {
  const changed = await change(
    'organization',
    'change',
    'acme',
    '--name',
    'Acme Ltd',
    '--plan',
    'paid',
    '--requests-per-minute',
    '7',
    '--tokens-per-day',
    '0',
    '--billing-state',
    'exhausted',
  )
  assert.equal(changed['name'], 'Acme Ltd')
  assert.equal(changed['plan'], 'paid')
  assert.equal(changed['billing_state'], 'exhausted')
  assert.deepEqual([changed['requests_per_minute'], changed['tokens_per_day']], [7, 0])
  const suspended = await change('organization', 'change', 'acme', '--suspend', 'Spam.')
  assert.equal(suspended['suspended_reason'], 'Spam.')
  const lifted = await change('organization', 'change', 'acme', '--lift-suspension')
  assert.equal(lifted['suspended_reason'], null)
  const back = await change('organization', 'change', 'acme', '--requests-per-minute', 'plan')
  assert.deepEqual([back['requests_per_minute'], back['tokens_per_day']], [null, 0])
  const contributor = await change(
    'organization',
    'change',
    'acme',
    '--retention',
    'contributor',
    '--terms',
    '2026-01',
    '--accepted-by',
    'member@example.com',
  )
  assert.equal(contributor['contributor_terms_version'], '2026-01')
  const zero = await change('organization', 'change', 'acme', '--retention', 'zero')
  assert.equal(zero['contributor_terms_version'], null)
  assert.deepEqual(await commands.answer('organization', 'show', organizationId), zero)
})

test('an invalid change of an organization is reported in one line', async () => {
  const rejected: [string[], RegExp][] = [
    [[], /^headrace: nothing to change/],
    [['--plan', 'no'], /^headrace: unknown plan "no"; the configuration has: free, paid\n$/],
    [['--retention', 'contributor'], /requires --terms and --accepted-by\n$/],
    [['--terms', '1'], /require each other and --retention contributor\n$/],
    [['--name', 'a\u0007b'], /^headrace: the name must have 1 to 200 characters and no control/],
  ]
  const earlier = await versions()
  for (const [args, message] of rejected) {
    const { code, stderr } = await commands.run(['organization', 'change', 'acme', ...args])
    assert.equal(code, 1)
    assert.match(stderr, message)
  }
  assert.deepEqual(await versions(), earlier)
  const slug = await commands.run(['organization', 'create', 'Not A Slug'])
  assert.match(slug.stderr, /^headrace: the slug must have 1 to 63/)
  const twice = await commands.run(['organization', 'create', 'acme'])
  assert.match(twice.stderr, /^headrace: an organization with this slug already exists\n$/)
  const { stdout } = await commands.run(['organization', 'list'])
  assert.match(stdout, /^id +slug +name .*\n\S+ +acme +Acme Ltd /)
})

test('archiving a project frees its name and reaches Valkey', async () => {
  const created = await commands.answer('project', 'create', 'search', ...ACME)
  const twice = await commands.run(['project', 'create', 'Search', ...ACME])
  assert.match(twice.stderr, /^headrace: the organization already has a project with this name\n$/)
  const archived = await change('project', 'archive', 'search', ...ACME)
  assert.equal(archived['id'], created['id'])
  assert.equal(typeof archived['archived_at'], 'string')
  await commands.answer('project', 'create', 'search', ...ACME)
  const { stdout } = await commands.run(['project', 'list', ...ACME])
  assert.match(
    stdout,
    /^id +name +archived_at .*\n\S+ +default +- +-\n\S+ +search +20\S+ +-\n\S+ +search +- +-\n$/,
  )
})

test('setting and removing a spending limit reaches Valkey', async () => {
  const limited = await change('project', 'change', 'default', ...ACME, '--spending-limit', '12.5')
  assert.equal(limited['spending_limit'], '12.50')
  const free = await change('project', 'change', 'default', ...ACME, '--spending-limit', 'none')
  assert.equal(free['spending_limit'], null)
  const nothing = await commands.run(['project', 'change', 'default', ...ACME])
  assert.match(nothing.stderr, /^headrace: nothing to change/)
  const wrong = ['project', 'change', 'default', ...ACME, '--spending-limit', '-1']
  assert.match((await commands.run(wrong)).stderr, /Must be an amount such as 50/)
})

test('revoking a key reaches Valkey before the command ends', async () => {
  const { id } = await commands.answer('key', 'create', ...ACME, '--name', 'lost')
  await change('key', 'revoke', String(id))
})

test('a change during a Valkey outage is stored, and the command fails', async () => {
  const { id } = await commands.answer('key', 'create', ...ACME, '--name', 'lost')
  const unavailable = { HEADRACE_VALKEY_URL: 'redis://127.0.0.1:1' }
  const { code, stdout, stderr } = await commands.run(['key', 'revoke', String(id)], unavailable)
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(
    stderr,
    /^headrace: the change is stored, but Valkey is unavailable.* announced as soon as .*\n$/,
  )
  await change('key', 'revoke', String(id))
})

test('a version that PostgreSQL lost is not given out again', async () => {
  const { stored } = await versions()
  const lost = stored + 1
  await valkey.call('SET', [organizationKeys(organizationId).version, lost])
  await commands.answer('organization', 'change', 'acme', '--name', 'Acme')
  // An identity that was read with the lost version must be stale.
  assert.deepEqual(await versions(), { known: lost + 1, stored: lost + 1 })
})

test('a change that a replica of Valkey has not confirmed is reported', async () => {
  await using primary = await startValkey({ args: ['--repl-diskless-sync-delay', '0'] })
  const { port } = new URL(primary.url)
  await using replica = await startValkey({ args: ['--replicaof', '127.0.0.1', port] })
  await using known = await connectValkey([primary.url])
  const hasReplica = async () => {
    const [, , replicas] = (await known.call('ROLE', [])) as unknown[]
    return (replicas as unknown[]).length === 1
  }
  await waitUntil('a replica', hasReplica, 20_000)
  const rename = ['organization', 'change', 'acme', '--name', 'Acme']
  const environment = { HEADRACE_VALKEY_URL: primary.url }
  assert.equal((await commands.run(rename, environment)).code, 0)
  replica.freeze()
  const { code, stderr } = await commands.run(rename, environment)
  assert.equal(code, 1)
  assert.match(stderr, /^headrace: the change is stored and in effect, but a replica of Valkey/)
  replica.thaw()
  assert.equal((await commands.run(rename, environment)).code, 0)
})

test('an organization is shown with the limits in force, and where they come from', async () => {
  const created = await commands.run(['organization', 'create', 'limited'])
  assert.match(created.stdout, /^requests_per_day +100 \(plan\)$/m)
  assert.doesNotMatch(created.stdout, / -$/m)
  const args = ['organization', 'change', 'limited', '--requests-per-day', '7']
  assert.equal((await commands.run(args)).code, 0)
  const { stdout } = await commands.run(['organization', 'show', 'limited'])
  assert.match(stdout, /^requests_per_minute +10 \(plan\)$/m)
  assert.match(stdout, /^requests_per_day +7 \(override; plan: 100\)$/m)
  const json = await commands.answer('organization', 'show', 'limited')
  assert.deepEqual([json['requests_per_minute'], json['requests_per_day']], [null, 7])
})

test('reset-limits says what happened, with and without something to reset', async () => {
  const { limits } = organizationKeys(organizationId)
  await valkey.call('HSET', [limits, 'at', 1, 'requests_today', 100])
  const args = ['organization', 'reset-limits', 'acme']
  const [used, unused] = [await commands.run(args), await commands.run(args)]
  assert.equal(used.stdout, 'acme has its full rate limits again\n')
  assert.equal(unused.stdout, 'acme has its full rate limits: it had used nothing of them\n')
})

test('the limits of an organization can be reset, and the command says who did it', async () => {
  const { limits } = organizationKeys(organizationId)
  await valkey.call('HSET', [limits, 'at', 1, 'requests_today', 100])
  const args = ['organization', 'reset-limits', 'acme', '--by', 'someone', '--json']
  const { code, stdout, stderr } = await commands.run(args)
  assert.equal(code, 0, stderr)
  assert.deepEqual(JSON.parse(stdout), { organization_id: organizationId, reset: true })
  assert.equal(await valkey.call('EXISTS', [limits]), 0)
  const { organizationId: id, by, msg } = JSON.parse(stderr) as Record<string, unknown>
  assert.deepEqual([id, by, msg], [organizationId, 'someone', 'rate limits reset'])
  const unavailable = { HEADRACE_VALKEY_URL: 'redis://127.0.0.1:1' }
  assert.match(
    (await commands.run(args, unavailable)).stderr,
    /^headrace: nothing was reset, because Valkey is unavailable/,
  )
})
