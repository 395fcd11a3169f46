import assert from 'node:assert/strict'
import { uuidV7 } from '../../../src/lib/uuid.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { createApiKey, displayParts, hashApiKey } from '../../../src/tenancy/api-key.ts'
import { ask, type Answer, type Headers } from '../processes/console.ts'
import type { SsoBench, SsoOrganization } from './sso-bench.ts'

/** An identity provider that provisions people of an organization. */
export type ScimClient = {
  readonly as: Headers
  /** Below the root of SCIM. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>
  /** Creates a user; returns the id. */
  create(userName: string, facts?: object): Promise<string>
  /** One PATCH with these operations. */
  patch(path: string, ...operations: object[]): Promise<Answer>
}

export const SCIM_HEADERS = { 'content-type': 'application/scim+json' }

/** The root of SCIM of the console that has this root of the management API. */
export function scimRootOf(root: string): string {
  return `${new URL(root).origin}/scim/v2`
}

export function openScimClient(root: string, token: string): ScimClient {
  const as = { authorization: `Bearer ${token}` }
  const send = (method: string, path: string, body?: unknown) =>
    ask(scimRootOf(root), method, path, { as, body, headers: SCIM_HEADERS })
  return {
    as,
    ask: send,
    async create(userName, facts = {}) {
      const answer = await send('POST', '/Users', { userName, ...facts })
      assert.equal(answer.status, 201, answer.text)
      return answer.body.id
    },
    patch: (path, ...Operations) =>
      send('PATCH', path, {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations,
      }),
  }
}

type Provisioned = { readonly organizationId: string; readonly accountId: string }

/** A token of the organization, as a member of it makes one. */
export async function storeScimToken(
  { database }: Pick<Postgres, 'database'>,
  { organizationId, accountId }: Provisioned,
  revokedAt: Date | null = null,
): Promise<string> {
  const token = createApiKey('headrace', 'scim')
  await database
    .insertInto('scim_tokens')
    .values({
      id: uuidV7(),
      organization_id: organizationId,
      name: 'Provider',
      hash: hashApiKey(token),
      ...displayParts(token),
      created_by: accountId,
      revoked_at: revokedAt,
    })
    .execute()
  return token
}

/** An identity provider that knows a member: a token of the organization and a linked user. */
export async function provisionMember(
  { database }: Pick<Postgres, 'database'>,
  root: string,
  { organizationId, accountId }: Provisioned,
): Promise<ScimClient> {
  const token = await storeScimToken({ database }, { organizationId, accountId })
  const user = { organization_id: organizationId, account_id: accountId, user_name: accountId }
  const unsaid = { external_id: null, display_name: null, given_name: null, family_name: null }
  await database
    .insertInto('scim_users')
    .values({ ...user, ...unsaid })
    .execute()
  return openScimClient(root, token)
}

/** A group gives the member the role, and is deleted. */
export async function loseRoleOfGroup(
  { database }: Pick<Postgres, 'database'>,
  scim: ScimClient,
  { organizationId, accountId }: Provisioned,
): Promise<Answer> {
  const role = { organization_id: organizationId, group_name: 'admins', role: 'admin' } as const
  await database.insertInto('scim_roles').values(role).execute()
  const members = [{ value: accountId }]
  const made = await scim.ask('POST', '/Groups', { displayName: 'Admins', members })
  return scim.ask('DELETE', `/Groups/${made.body.id}`)
}

/** An organization with a verified domain, and a token that its owner made. */
export async function setUpScim(
  bench: SsoBench,
): Promise<SsoOrganization & { readonly scim: ScimClient; readonly tokenId: string }> {
  const organization = await bench.setUp()
  const { root } = bench.console_
  const { path, owner } = organization
  const body = { name: 'Provider' }
  const made = await ask(root, 'POST', `${path}/scim-tokens`, { as: owner.as, body })
  assert.equal(made.status, 201, made.text)
  const scim = openScimClient(root, String(made.body['token']))
  return { ...organization, scim, tokenId: made.body.id }
}
