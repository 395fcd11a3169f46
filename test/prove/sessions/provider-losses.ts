import { ask, openPerson } from '../../harness/processes/console.ts'
import { startLogoutSigner, LOGOUT_EVENT } from '../../harness/servers/logout-signer.ts'
import { createSealer } from '../../../src/platform/sign-in/identity/sealer.ts'
import { SIGNING_KEY } from '../../harness/processes/service.ts'
import { loseRoleOfGroup, provisionMember, type ScimClient } from '../../harness/servers/scim.ts'
import type { Loss, Subject, Taking } from './losses.ts'

const CLIENT_ID = 'headrace'

function provision({ postgres, root, subject }: Taking): Promise<ScimClient> {
  return provisionMember(postgres, root, subject)
}

async function must(status: number, answer: Promise<{ status: number; text: string }>) {
  const { status: given, text } = await answer
  if (given !== status) throw new Error(`answered ${given} ${text}`)
}

const keysOf = (organizationId: string) => `/organizations/${organizationId}/keys`

async function loseGroup(taking: Taking): Promise<void> {
  const scim = await provision(taking)
  await must(204, loseRoleOfGroup(taking.postgres, scim, taking.subject))
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
