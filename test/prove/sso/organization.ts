import assert from 'node:assert/strict'
import type { ConsoleProcess } from '../../harness/processes/console-process.ts'
import { ask, openPerson } from '../../harness/processes/console.ts'
import type { DnsServer } from '../../harness/servers/dns.ts'
import { openOrganization } from '../../harness/seed/tenants.ts'
import type { BrowserProvider } from './providers.ts'

export type ConnectedOrganization = { readonly id: string; readonly connection: string }

/** An organization that connects the provider and verifies a domain, all by the API. */
export async function connectOrganization(
  { environment, root, origin }: ConsoleProcess,
  dns: DnsServer,
  provider: BrowserProvider,
  domain: string,
): Promise<ConnectedOrganization> {
  const { postgres } = environment
  const { issuer, clientId, clientSecret } = provider
  const { id } = await openOrganization(postgres.database, 'ample')
  const owner = await openPerson(postgres, { organizationId: id, role: 'owner' })
  const as = { ...owner.as, origin }
  const post = async (path: string, body: object = {}) => {
    const answer = await ask(root, 'POST', `/organizations/${id}${path}`, { as, body })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const connection = await post('/sso-connections', {
    name: 'Provider',
    issuer,
    client_id: clientId,
    client_secret: clientSecret,
  })
  await provider.register({
    redirectUri: String(connection['redirect_uri']),
    logoutUri: String(connection['backchannel_logout_uri']),
  })
  const added = await post('/domains', { domain })
  const { name, value } = added['record'] as { name: string; value: string }
  dns.records.set(name, [value])
  await post(`/domains/${added.id}/verify`)
  return { id, connection: connection.id }
}
