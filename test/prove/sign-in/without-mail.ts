import { openConsoleClient } from '../../harness/clients/console-clients.ts'
import { newAddress, openManagementKey, openPerson } from '../../harness/processes/console.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { PASSWORD } from '../../harness/clients/sign-in.ts'
import { openOrganization } from '../../harness/seed/tenants.ts'
import { startProxiedConsole } from './start-console.ts'

const STRANGERS_PASSWORD = 'nine-green-kites-aloft'
const TIMEOUT_MS = 20_000

/** Without email, as it is shipped, an address still belongs to whoever was invited. */
export async function signInWithoutMail(run: ProofRun): Promise<number> {
  await using console_ = await startProxiedConsole(null)
  await using client = openConsoleClient(console_.root)
  const { postgres } = console_.environment
  const { id: organizationId } = await openOrganization(postgres.database, 'ample')
  const owner = await openPerson(postgres, { organizationId, role: 'owner' })
  const post = (path: string, body: object, as?: Readonly<Record<string, string>>) =>
    client.send('POST', path, {
      ...(as !== undefined && { as }),
      body,
      headers: { 'x-forwarded-for': newAddress() },
    })
  const invite = async () => {
    const email = `${crypto.randomUUID()}@example.com`
    const made = await post(`/organizations/${organizationId}/invitations`, { email }, owner.as)
    const { link } = JSON.parse(made.text) as { link: string }
    return { email, invitation: link.split('#token=')[1] }
  }
  const signIn = async (email: string, password: string) =>
    (await post('/sessions', { email, password })).status
  let attempts = 0
  const takeOver = async (email: string, facts: object) => {
    attempts += 1
    const { status } = await post('/sign-ups', { email, password: STRANGERS_PASSWORD, ...facts })
    if (status !== 202) run.fail(`a stranger's sign-up without email: ${status}`)
  }
  const [invited, other] = [await invite(), await invite()]
  // Nobody's, a foreign token, and a token that is none.
  await takeOver(invited.email, {})
  await takeOver(invited.email, { invitation: other.invitation })
  await takeOver(invited.email.toUpperCase(), { invitation: 'x'.repeat(43) })
  await takeOver(`${crypto.randomUUID()}@example.com`, {})
  for (const { email, invitation } of [other, invited]) {
    await post('/sign-ups', { email, password: PASSWORD, invitation })
    const signedIn = async () => (await signIn(email, PASSWORD)) === 201
    await waitUntil('somebody who was invited to sign in', signedIn, TIMEOUT_MS, { pollMs: 200 })
    if ((await signIn(email, STRANGERS_PASSWORD)) !== 401)
      run.fail('a stranger has the account of an invited address')
  }
  // The link to a new password would be in the answer.
  const operator = await openPerson(postgres, { platformRole: 'operator' })
  const facts = { createdBy: operator.accountId, organizationId: null, scopes: ['platform:write'] }
  const key = await openManagementKey(postgres, facts)
  const shown = await post(`/operator/accounts/${owner.accountId}/reset-link`, {}, key)
  attempts += 1
  if (shown.status !== 403) run.fail(`a key was shown a link to a password: ${shown.status}`)
  // The page that asks for one tells nothing and sends nothing.
  const asked = await post('/password-resets', { email: owner.email })
  attempts += 1
  if (asked.status >= 500 || asked.text.includes('token'))
    run.fail(`a reset without email: ${asked.status} ${asked.text}`)
  return attempts
}
