import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { scopesOfRole } from '../../src/tenancy/permissions.ts'
import { startConsole } from '../harness/processes/console.ts'

const EXAMPLE = new URL('../../examples/set-up.ts', import.meta.url).pathname

type Listed = { readonly data: readonly { readonly name?: string; readonly email?: string }[] }

test('the example sets an organization up, and changes nothing when it is repeated', async () => {
  await using console_ = await startConsole()
  const { id: organizationId } = await console_.openOrganization()
  const owner = await console_.openPerson({ organizationId, role: 'owner' })
  const facts = { createdBy: owner.accountId, organizationId, scopes: scopesOfRole('owner') }
  const as = await console_.openManagementKey(facts)
  const folder = mkdtempSync(join(tmpdir(), 'headrace-set-up-'))
  const file = join(folder, 'wanted.json')
  const setUp = async (limit: string) => {
    const wanted = {
      organization: organizationId,
      projects: [{ name: 'search', spending_limit: limit }],
      keys: [{ name: 'search production', project: 'search', models: null }],
      members: [{ email: 'jane@example.com', role: 'viewer' }],
    }
    writeFileSync(file, JSON.stringify(wanted))
    const env = {
      CONSOLE: console_.root.replace(/\/management\/v1$/, ''),
      MANAGEMENT_KEY: as['authorization']?.replace('Bearer ', ''),
    }
    return promisify(execFile)(process.execPath, [EXAMPLE, file], { env })
  }
  const namesOf = async (path: string) => {
    const url = `${console_.root}/organizations/${organizationId}${path}`
    const { data } = (await (await fetch(url, { headers: as })).json()) as Listed
    return data.map(({ name, email }) => name ?? email)
  }
  try {
    const first = await setUp('50.00')
    assert.equal(
      first.stderr,
      'created project search\ncreated key search production\n' +
        'invited jane@example.com as viewer\n',
    )
    const { key } = JSON.parse(first.stdout) as { key: string }
    assert.match(key, /^headrace_sk_/)

    assert.deepEqual(await setUp('50.00'), { stdout: '', stderr: '' })
    assert.equal((await setUp('75')).stderr, 'changed the spending limit of search\n')
    assert.deepEqual(await namesOf('/projects'), ['search', 'default'])
    assert.deepEqual(await namesOf('/keys'), ['search production'])
    assert.deepEqual(await namesOf('/invitations'), ['jane@example.com'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
