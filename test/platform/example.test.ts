import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { openManagementKey, openPerson, type Headers } from '../harness/processes/console.ts'
import { DEMO_MODEL, startEnvironment } from '../harness/environment.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { startProcess } from '../harness/processes/process.ts'

const EXAMPLE = new URL('../../examples/create-organization.mjs', import.meta.url).pathname

type Answer = {
  readonly id: string
  readonly key: string
  readonly data: readonly { readonly model: string; readonly requests: number }[]
}

/** Runs a step as somebody would in a shell. */
async function runStep(console_: string, as: Headers, ...step: string[]): Promise<Answer> {
  const key = as['authorization']?.replace('Bearer ', '') ?? ''
  const env = { CONSOLE: console_, MANAGEMENT_KEY: key }
  const { stdout } = await promisify(execFile)(process.execPath, [EXAMPLE, ...step], { env })
  return JSON.parse(stdout) as Answer
}

test('the example creates an organization and a working key, and reads usage', async () => {
  const settings = { console: { port: 0, health_port: 0 } }
  await using environment = await startEnvironment({ sections: settings })
  const { databaseUrl, valkeyUrls, file, postgres } = environment
  await using process_ = await startProcess('console', { databaseUrl, valkeyUrls, file })
  const api = await environment.startApi()
  await environment.startWorker()
  const console_ = new URL(process_.apiRoot).origin

  const operator = await openPerson(postgres, { platformRole: 'operator' })
  const owner = await openPerson(postgres, {})
  const facts = { createdBy: operator.accountId, organizationId: null, scopes: ['platform:write'] }
  const platformKey = await openManagementKey(postgres, facts)
  const slug = `acme-${crypto.randomUUID().slice(0, 8)}`
  const { id } = await runStep(console_, platformKey, 'organization', slug, owner.email)

  const scopes = ['keys:write', 'usage:read']
  const own = { createdBy: owner.accountId, organizationId: id, scopes }
  const managementKey = await openManagementKey(postgres, own)
  const { key } = await runStep(console_, managementKey, 'key', slug, 'deployment')
  const completion = await fetch(`${api.apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: DEMO_MODEL,
      max_completion_tokens: 8,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  })
  assert.equal(completion.status, 200, await completion.text())

  const usage = () => runStep(console_, managementKey, 'usage', slug)
  await waitUntil('usage to be posted', async () => (await usage()).data.length > 0, 30_000)
  const { data } = await usage()
  assert.deepEqual(
    data.map(({ model, requests }) => [model, requests]),
    [[DEMO_MODEL, 1]],
  )
})
