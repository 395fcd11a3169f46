import { ask, openPerson } from '../../harness/console.ts'
import { startLogoutSigner, LOGOUT_EVENT } from '../../harness/logout-signer.ts'
import { createSealer } from '../../../src/platform/identity/sealer.ts'
import { uuidV7 } from '../../../src/lib/uuid.ts'
import { createApiKey, displayParts, hashApiKey } from '../../../src/tenancy/api-key.ts'
import { SIGNING_KEY } from '../../harness/service.ts'
import { openScimClient, type ScimClient } from '../../harness/scim.ts'
import type { Loss, Subject, Taking } from './losses.ts'

const CLIENT_ID = 'headrace'

/** An identity provider that knows the subject: the token of its organization. */
async function provision({ postgres, root, subject }: Taking): Promise<ScimClient> {
  const { database } = postgres
  const { organizationId, accountId } = subject
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
    })
    .execute()
  const user = { organization_id: organizationId, account_id: accountId, user_name: accountId }
  const unsaid = { external_id: null, display_name: null, given_name: null, family_name: null }
  await database
    .insertInto('scim_users')
    .values({ ...user, ...unsaid })
    .execute()
  return openScimClient(root, token)
}

async function must(status: number, answer: Promise<{ status: number; text: string }>) {
  const { status: given, text } = await answer
  if (given !== status) throw new Error(`answered ${given} ${text}`)
}

const keysOf = (organizationId: string) => `/organizations/${organizationId}/keys`

/** A group has given the subject the role that they have, and is deleted. */
async function loseGroup(taking: Taking): Promise<void> {
  const { organizationId, accountId } = taking.subject
  const scim = await provision(taking)
  const role = { organization_id: organizationId, group_name: 'admins', role: 'admin' } as const
  await taking.postgres.database.insertInto('scim_roles').values(role).execute()
  const members = [{ value: accountId }]
  const made = await scim.ask('POST', '/Groups', { displayName: 'Admins', members })
  await must(204, scim.ask('DELETE', `/Groups/${made.body.id}`))
}

/** Rights that an identity provider takes away, each with a call that shows it. */
export async function openProviderLosses() {
  const signer = await startLogoutSigner()
  const losses: readonly Loss[] = [
    {
      name: 'SCIM deactivation',
      method: 'GET',
      path: keysOf,
      async take(taking) {
        const scim = await provision(taking)
        const operation = { op: 'Replace', path: 'active', value: 'False' }
        await must(200, scim.patch(`/Users/${taking.subject.accountId}`, operation))
      },
    },
    {
      name: 'SCIM deletion',
      method: 'GET',
      path: keysOf,
      async take(taking) {
        const scim = await provision(taking)
        await must(204, scim.ask('DELETE', `/Users/${taking.subject.accountId}`))
      },
    },
    {
      name: 'role of a group',
      method: 'GET',
      path: (organizationId) => `/organizations/${organizationId}/retention`,
      take: loseGroup,
    },
    {
      name: 'back-channel logout',
      method: 'GET',
      path: () => '/me',
      prepare: (postgres, subject) => comeFrom(postgres, subject, signer.issuer),
      async take({ root, subject }) {
        const token = await signer.sign({
          iss: signer.issuer,
          aud: CLIENT_ID,
          iat: Math.floor(Date.now() / 1_000),
          jti: crypto.randomUUID(),
          events: { [LOGOUT_EVENT]: {} },
          sid: subject.accountId,
        })
        const path = `${root}/sso/${subject.organizationId}/backchannel-logout`
        const body = new URLSearchParams({ logout_token: token })
        const answer = await fetch(path, { method: 'POST', body })
        await must(
          200,
          answer.text().then((text) => ({ status: answer.status, text })),
        )
      },
    },
    {
      name: 'reset of the factors',
      method: 'GET',
      path: () => '/me',
      async take({ postgres, root, subject }) {
        const { as } = await openPerson(postgres, { platformRole: 'operator' })
        const path = `/operator/accounts/${subject.accountId}/factors`
        await must(204, ask(root, 'DELETE', path, { as }))
      },
    },
  ]
  return { losses, [Symbol.asyncDispose]: () => signer[Symbol.asyncDispose]() }
}

/** The session came from a provider. The connection has the id of the organization. */
async function comeFrom(
  { database }: Taking['postgres'],
  { organizationId: id, accountId }: Subject,
  issuer: string,
): Promise<void> {
  const secret = Buffer.from('secret')
  await database
    .insertInto('sso_connections')
    .values({
      id,
      organization_id: id,
      name: 'Provider',
      issuer,
      client_id: CLIENT_ID,
      default_role: 'member',
      sealed_secret: createSealer([SIGNING_KEY], 'sso client secret').seal(secret, id),
    })
    .execute()
  await database
    .updateTable('sessions')
    .set({ methods: [`sso:${id}`], sso_sid: `${id}:${accountId}` })
    .where('account_id', '=', accountId)
    .execute()
}
