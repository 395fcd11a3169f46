import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { openPostgres } from '../postgres/postgres.ts'
import { createAccount } from '../tenants/accounts.ts'
import { createOrganization } from '../tenants/organizations.ts'
import {
  changeConnection,
  createConnection,
  nextConnectionId,
  deleteConnection,
  findConnection,
  forgetIdentities,
  listConnections,
} from './sso-connections.ts'
import {
  addDomain,
  deleteDomain,
  findDomain,
  findDomainOwner,
  listDomains,
  markDomainVerified,
} from './sso-domains.ts'
import { findIdentity, storeIdentity } from './sso-identities.ts'

const testDatabase = await createDatabase()
const postgres = openPostgres(testDatabase.url)
endWithFile(postgres, testDatabase)

async function newOrganization(): Promise<string> {
  const organization = await createOrganization(postgres.database, {
    slug: `organization-${randomBytes(6).toString('hex')}`,
    name: 'Organization',
    plan: 'free',
    retention: 'zero',
    ownerAccountId: null,
  })
  return organization.id
}

const SETTINGS = {
  name: 'Provider',
  issuer: 'https://idp.example',
  client_id: 'client',
  default_role: 'member',
} as const

test('a connection is changed and deleted with its identities', async () => {
  const { database } = postgres
  const organization = await newOrganization()
  const id = nextConnectionId(organization, [])
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const row = { ...SETTINGS, id, organization_id: organization, sealed_secret: Buffer.from('x') }
  const connection = await createConnection(database, row)
  assert.ok(connection)
  assert.equal(await createConnection(database, row), undefined)
  const email = `${randomBytes(6).toString('hex')}@example.com`
  const account = await createAccount(database, { email, state: 'active', registered: true })
  assert.equal(await storeIdentity(database, connection.id, 'subject', account.id), true)
  assert.equal(await storeIdentity(database, connection.id, 'subject', account.id), false)
  assert.equal(await findIdentity(database, connection.id, 'subject'), account.id)
  await forgetIdentities(database, connection.id)
  assert.equal(await findIdentity(database, connection.id, 'subject'), undefined)
  await storeIdentity(database, connection.id, 'subject', account.id)
  const changed = await changeConnection(database, connection.id, { default_role: 'viewer' })
  assert.equal(changed.default_role, 'viewer')
  assert.equal((await listConnections(database, organization)).length, 1)
  await deleteConnection(database, connection.id)
  assert.equal(await findConnection(database, connection.id), undefined)
  assert.equal(await findIdentity(database, connection.id, 'subject'), undefined)
})

test('many organizations may claim a domain, one of them has it verified', async () => {
  const { database } = postgres
  const [first, second] = [await newOrganization(), await newOrganization()]
  const one = await addDomain(database, first, 'acme.example', 'a')
  const two = await addDomain(database, second, 'acme.example', 'b')
  assert.ok(one && two)
  assert.equal(await addDomain(database, first, 'acme.example', 'c'), undefined)
  assert.equal(await findDomainOwner(database, 'acme.example'), undefined)
  assert.ok((await markDomainVerified(database, one.id))?.verified_at)
  assert.equal(await findDomainOwner(database, 'acme.example'), first)
  assert.equal(await markDomainVerified(database, two.id), undefined)
  assert.equal(await findDomainOwner(database, 'acme.example'), first)
  assert.equal(await findDomain(database, second, one.id), undefined)
  assert.equal((await listDomains(database, first)).length, 1)
  await deleteDomain(database, one.id)
  assert.equal(await findDomainOwner(database, 'acme.example'), undefined)
  assert.ok(await markDomainVerified(database, two.id))
})
