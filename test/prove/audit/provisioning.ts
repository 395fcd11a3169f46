import { uuidV7 } from '../../../src/lib/uuid.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { ask, openPerson } from '../../harness/processes/console.ts'
import { openScimClient } from '../../harness/servers/scim.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { openPlace } from '../../harness/routes/things.ts'

type Proving = {
  readonly run: ProofRun
  readonly postgres: Postgres
  readonly root: () => string
  readonly learn: (secret: string) => void
  /** Notes a change that was answered as made. */
  readonly note: (requestId: string, name: string) => void
}

/** An identity provider makes each change of SCIM. Each must have left one event. */
export async function proveProvisioning(proving: Proving): Promise<{ readonly scim: number }> {
  const { run, postgres, root, learn, note } = proving
  const { organizationId } = await openPlace(postgres.database)
  const { as } = await openPerson(postgres, { organizationId, role: 'owner' })
  const domain = `${crypto.randomUUID()}.example`
  await postgres.database
    .insertInto('sso_domains')
    .values({
      id: uuidV7(),
      organization_id: organizationId,
      domain,
      challenge: 'x',
      verified_at: new Date(),
    })
    .execute()
  const path = `/organizations/${organizationId}`
  const body = { name: 'Provider' }
  const made = await ask(root(), 'POST', `${path}/scim-tokens`, { as, body })
  const token = String(made.body['token'])
  learn(token)
  const roles = [{ group: 'Admins', role: 'admin' }]
  await ask(root(), 'PUT', `${path}/scim`, { as, body: { roles } })
  let scim = 0
  const change = async (method: string, below: string, sent?: object) => {
    const {
      status,
      headers,
      text,
      body: answer,
    } = await openScimClient(root(), token).ask(method, below, sent)
    scim += 1
    if (status >= 300) run.fail(`SCIM ${method} ${below}: ${status} ${text}`)
    note(headers['x-request-id'] ?? '', `SCIM ${method} ${below.split('/')[1]}`)
    return answer.id
  }
  const user = `/Users/${await change('POST', '/Users', { userName: `a@${domain}` })}`
  const members = [{ value: user.split('/')[2] }]
  const group = `/Groups/${await change('POST', '/Groups', { displayName: 'Admins', members })}`
  const operation = (value: object) => ({ Operations: [{ op: 'replace', value }] })
  await change('PATCH', group, operation({ members: [] }))
  await change('PUT', group, { displayName: 'Admins', members })
  await change('PATCH', user, operation({ active: false }))
  await change('PUT', user, { userName: `b@${domain}`, active: true })
  await change('DELETE', group)
  await change('DELETE', user)
  return { scim }
}
