import assert from 'node:assert/strict'
import { ask, type Answer, type Headers } from './console.ts'
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
