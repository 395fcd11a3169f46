import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { endWithFile } from '../../test/harness/end-with-file.ts'
import { createCommands } from '../../test/harness/processes/command.ts'
import { Content } from '../lib/content.ts'
import type { Log } from '../lib/log.ts'
import { uuidV7 } from '../lib/uuid.ts'
import { openContentLog } from '../store/content/content.ts'
import { readMasterKeys } from '../store/content/content-keys.ts'
import { openPostgres } from '../store/postgres/postgres.ts'
import type { KeptRetention } from '../tenancy/content-record.ts'
import type { ContributorTerms } from '../tenancy/retention.ts'

const commands = await createCommands()
const postgres = openPostgres(commands.databaseUrl, { queryTimeoutMs: 30_000 })
endWithFile(postgres, commands)

const contentKey = randomBytes(32).toString('base64url')
const environment = { HEADRACE_CONTENT_KEY: contentKey }
const quiet = () => undefined
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
const SECRET = 'a-secret-in-content'

const OWNER = 'owner@example.com'
await commands.answer('account', 'create', OWNER, '--state', 'active')

type Contributor = { readonly id: string; readonly terms: ContributorTerms }

async function accept(slug: string, version: string): Promise<ContributorTerms> {
  const consent = ['--retention', 'contributor', '--terms', version, '--accepted-by', OWNER]
  const row = await commands.answer('organization', 'change', slug, ...consent)
  const acceptedAt = new Date(row['contributor_terms_accepted_at'] as string)
  return { version, acceptedAt, acceptedBy: row['contributor_terms_accepted_by'] as string }
}

async function createContributor(slug: string): Promise<Contributor> {
  const { id } = await commands.answer('organization', 'create', slug)
  return { id: id as string, terms: await accept(slug, 'v1') }
}

async function keep(
  organizationId: string,
  terms: ContributorTerms | null,
  retention: KeptRetention = 'contributor',
  atMs = Date.now(),
): Promise<void> {
  const masterKeys = readMasterKeys(contentKey)
  await using contentLog = openContentLog(postgres.pool, { masterKeys, bytesMax: 1e6, log })
  const ids = { id: uuidV7(atMs), organizationId, projectId: crypto.randomUUID() }
  const content = new Content(Buffer.from(JSON.stringify({ request: SECRET, response: 'said' })))
  contentLog.keep({ ...ids, model: 'a/model', retention, terms, content }, 0)
}

async function exported(slug: string, more: Record<string, string> = environment) {
  const { code, stdout, stderr } = await commands.run(['content', 'export', slug], more)
  assert.equal(code, 0, stderr)
  return { lines: stdout.split('\n').filter((line) => line !== ''), summary: stderr.trim() }
}

describe('content export', () => {
  test('prints contributions under valid consent as lines of JSON', async () => {
    const { id, terms } = await createContributor('valid')
    await keep(id, terms)
    await keep(id, terms)
    await keep(id, null, 'standard')
    const { lines, summary } = await exported('valid')
    assert.equal(summary, 'headrace: exported 2')
    const events = await postgres.database
      .selectFrom('audit_events')
      .select(['actor_kind', 'target_id'])
      .where('action', '=', 'content.export')
      .where('organization_id', '=', id)
      .execute()
    assert.deepEqual(events, [{ actor_kind: 'operator_shell', target_id: id }])
    const record = JSON.parse(lines[0] ?? '') as Record<string, unknown>
    assert.equal(record['organization_id'], id)
    assert.equal(record['terms_version'], 'v1')
    assert.equal(record['terms_accepted_at'], terms.acceptedAt.toISOString())
    assert.equal(record['request'], SECRET)
    assert.equal(record['response'], 'said')
  })

  test('skips and counts requests from before the consent', async () => {
    const { id, terms } = await createContributor('early')
    await keep(id, terms, 'contributor', terms.acceptedAt.getTime() - 1)
    await keep(id, terms)
    const { lines, summary } = await exported('early')
    assert.equal(lines.length, 1)
    assert.equal(summary, 'headrace: exported 1, consent_later_than_request 1')
  })

  test('skips everything after a withdrawal, even after new consent', async () => {
    const { id, terms } = await createContributor('left')
    await keep(id, terms)
    const skips = async (summary: string) =>
      assert.deepEqual(await exported('left'), { lines: [], summary: `headrace: ${summary}` })
    await commands.answer('organization', 'change', 'left', '--retention', 'standard')
    await skips('exported 0, withdrawn 1')
    await accept('left', 'v2')
    await skips('exported 0, other_terms 1')
    await accept('left', 'v1')
    await skips('exported 0, other_acceptance 1')
  })

  test('exports nothing with another key, and fails without a key', async () => {
    const { id, terms } = await createContributor('closed')
    await keep(id, terms)
    const another = { HEADRACE_CONTENT_KEY: randomBytes(32).toString('base64url') }
    const { lines, summary } = await exported('closed', another)
    assert.deepEqual([lines, summary], [[], 'headrace: exported 0, unreadable 1'])
    const { code, stderr } = await commands.run(['content', 'export', 'closed'])
    assert.equal(code, 78)
    assert.match(stderr, /HEADRACE_CONTENT_KEY is not set/)
  })
})

describe('content destroy', () => {
  test('requires --yes, makes all content unreadable, and writes to the log', async () => {
    const { id, terms } = await createContributor('destroyed')
    await keep(id, terms)
    const destroy = ['content', 'destroy', 'destroyed']
    const unconfirmed = await commands.run(destroy, environment)
    assert.equal(unconfirmed.code, 1)
    assert.match(unconfirmed.stderr, /confirm with --yes/)
    assert.equal((await exported('destroyed')).lines.length, 1)
    const done = await commands.run([...destroy, '--yes', '--by', 'Ada'], environment)
    assert.equal(done.code, 0)
    const line = JSON.parse(done.stderr) as Record<string, unknown>
    assert.deepEqual([line['organizationId'], line['count'], line['by']], [id, 1, 'Ada'])
    assert.equal((await exported('destroyed')).summary, 'headrace: exported 0, unreadable 1')
    await keep(id, terms)
    assert.equal((await exported('destroyed')).summary, 'headrace: exported 1, unreadable 1')
  })
})

test('content list shows amounts and never content', async () => {
  const { id, terms } = await createContributor('listed')
  await keep(id, terms)
  await keep(id, null, 'standard')
  const { stdout } = await commands.run(['content', 'list', 'listed', '--json'], environment)
  const days = JSON.parse(stdout) as { retention: string; records: number; readable: boolean }[]
  assert.deepEqual(
    days.map(({ retention, records, readable }) => [retention, records, readable]),
    [
      ['contributor', 1, true],
      ['standard', 1, true],
    ],
  )
  assert.doesNotMatch(stdout, /secret/)
})
