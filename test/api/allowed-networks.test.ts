import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Agent, fetch } from 'undici'
import { raiseVersion } from '../../src/store/limits/raise-version.ts'
import { storeAllowedNetworks } from '../../src/store/tenants/allowed-networks.ts'
import { changeOrganization } from '../../src/store/tenants/organizations.ts'
import { hasUnknownProxy } from '../../src/store/sign-in/unknown-proxy.ts'
import { unknownProxyKey } from '../../src/store/valkey/keys.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { connectValkey } from '../harness/servers/valkey.ts'
import { startService, type Service } from '../harness/processes/service.ts'
import { request } from './start.ts'

const INSIDE = '127.20.1.1'
const OUTSIDE = '127.21.1.1'

async function restrict(service: Service, organizationId: string, networks: readonly string[]) {
  const { raised } = await service.postgres.database
    .transaction()
    .execute((transaction) => storeAllowedNetworks(transaction, organizationId, networks))
  await using valkey = await connectValkey(service.config.valkey_urls, { timeoutMs: 10_000 })
  for (const each of raised) await raiseVersion(valkey, each)
}

type Calling = { readonly key: string; readonly from: string; readonly forwarded?: string }

/** The status and the code of an answer to a client at an address. */
async function callFrom(
  { apiRoot }: Service,
  { key, from, forwarded }: Calling,
  path = '/models',
  body?: object,
): Promise<string> {
  const agent = new Agent({ localAddress: from })
  try {
    const answer = await fetch(`${apiRoot}${path}`, {
      dispatcher: agent,
      headers: {
        authorization: `Bearer ${key}`,
        ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
    const { error } = (await answer.json()) as { error?: { type: string; code: string } }
    return error === undefined ? String(answer.status) : `${answer.status} ${error.code}`
  } finally {
    await agent.destroy()
  }
}

const REFUSED = '403 network_not_allowed'

test('403: keys are refused from other networks at the next request, on every path', async () => {
  await using service = await startService()
  const { organizationId, key } = await service.createCaller()
  // Known from now on, so that its identity is in the cache.
  assert.equal(await callFrom(service, { key, from: OUTSIDE }), '200')
  await restrict(service, organizationId, ['127.20.0.0/16'])
  for (const [path, body] of [['/models'], ['/nothing'], ['/chat/completions', request()]] as const)
    assert.equal(await callFrom(service, { key, from: OUTSIDE }, path, body), REFUSED)
  assert.equal(await callFrom(service, { key, from: INSIDE }), '200')
  const other = await service.createCaller()
  assert.equal(await callFrom(service, { key: other.key, from: OUTSIDE }), '200')
  await restrict(service, organizationId, [])
  assert.equal(await callFrom(service, { key, from: OUTSIDE }), '200')
})

test('403: a network that is not allowed comes before 402, and after 401', async () => {
  await using service = await startService()
  const { organizationId, key } = await service.createCaller()
  await restrict(service, organizationId, ['127.20.0.0/16'])
  const { database } = service.postgres
  await changeOrganization(database, organizationId, { billingState: 'exhausted' })
  const path = '/chat/completions'
  assert.equal(await callFrom(service, { key, from: OUTSIDE }, path, request()), REFUSED)
  const unknown = { key: `${key}x`, from: OUTSIDE }
  assert.equal(await callFrom(service, unknown), '401 invalid_api_key')
})

test('X-Forwarded-For is believed only as far as proxies are trusted', async () => {
  await using direct = await startService()
  await using behind = await startService((config) => ({
    ...config,
    api: { ...config.api, trusted_proxies: 1 },
  }))
  const expected = [
    [direct, OUTSIDE, INSIDE, REFUSED],
    [direct, INSIDE, OUTSIDE, '200'],
    [behind, OUTSIDE, INSIDE, '200'],
    [behind, OUTSIDE, `${OUTSIDE}, ${INSIDE}:4711`, '200'],
    [behind, OUTSIDE, `${INSIDE}, ${OUTSIDE}`, REFUSED],
    [behind, INSIDE, 'nonsense', REFUSED],
  ] as const
  for (const [service, from, forwarded, answer] of expected) {
    const { organizationId, key } = await service.createCaller()
    await restrict(service, organizationId, ['127.20.0.0/16'])
    assert.equal(await callFrom(service, { key, from, forwarded }), answer, `${from} ${forwarded}`)
  }
})

test('forwarded addresses that no setting trusts are remembered for the doctor', async () => {
  await using service = await startService()
  const { key } = await service.createCaller()
  await using valkey = await connectValkey(service.config.valkey_urls, { timeoutMs: 10_000 })
  await valkey.call('DEL', [unknownProxyKey('api')])
  assert.equal(await callFrom(service, { key, from: INSIDE, forwarded: OUTSIDE }), '200')
  await waitUntil('the proxy is remembered', () => hasUnknownProxy(valkey, 'api'), 5_000)
})
