import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'
import { uuidV7 } from '../../../src/lib/uuid.ts'
import { askWithoutEnd } from '../../harness/clients/ask-without-end.ts'
import { addAuditEvents } from '../../harness/seed/billing-rows.ts'
import { openConsoleClient } from '../../harness/clients/console-clients.ts'
import { openPerson, type Headers } from '../../harness/processes/console.ts'
import type { Environment } from '../../harness/environment.ts'
import { openOrganization } from '../../harness/seed/tenants.ts'
import { countsOf, type Hostile } from './hostile-client.ts'

const INVITERS = 8
const CALLERS = 32
const STREAMS = 50
/** An export of these has some megabytes, more than the buffers of a connection. */
const EVENTS = 20_000
const NETWORK = { 'x-forwarded-for': '203.0.113.9' }
const DAY_MS = 86_400_000
/** Long enough for an email on its way. */
const SENT_MS = 300

/**
 * The owners of an organization at full speed: exports that nobody reads, streams, calls that read,
 * and invitations of the victim, which are withdrawn and made again.
 */
export async function startHostileTenant(
  root: string,
  { postgres }: Pick<Environment, 'postgres'>,
  victim: string,
  exports: number,
): Promise<Hostile> {
  const { id } = await openOrganization(postgres.database, 'ample')
  const nowMs = Date.now()
  const events = Array.from({ length: EVENTS }, (_, number) => {
    const made = nowMs - DAY_MS + number
    const [actor_id, target_id] = [`actor-${number}`, `target-${number}`]
    return { id: uuidV7(made), made_at: new Date(made), actor_id, action: 'key.create', target_id }
  })
  await addAuditEvents(postgres.pool, id, events)
  // Calls are limited for each person, so each kind has an owner of its own.
  const openOwner = async () =>
    (await openPerson(postgres, { organizationId: id, role: 'owner' })).as
  const [inviter, reader, exporter, streamer] = [
    await openOwner(),
    await openOwner(),
    await openOwner(),
    await openOwner(),
  ]
  const client = openConsoleClient(root, { connections: INVITERS + CALLERS })
  const ask = (as: Headers, method: string, path: string, body?: object) =>
    client.send(method, `/organizations/${id}${path}`, { as, body, headers: NETWORK })
  const inviting = askWithoutEnd(INVITERS, async (index) => {
    const email = index === 0 ? victim : `${crypto.randomUUID()}@example.com`
    const { status, text } = await ask(inviter, 'POST', '/invitations', { email })
    if (status !== 201) return status
    const { id: invitation } = JSON.parse(text) as { id: string }
    // pacing: the email of an invitation that is withdrawn at once is not sent.
    await pause(SENT_MS)
    return (await ask(inviter, 'DELETE', `/invitations/${invitation}`)).status
  })
  const reading = askWithoutEnd(
    CALLERS,
    async () => (await ask(reader, 'GET', '/audit-events')).status,
  )
  const unread = new Agent({ connections: exports + STREAMS })
  const open = async (as: Headers, path: string) => {
    const { origin, pathname } = new URL(root)
    const url = { origin, path: `${pathname}/organizations/${id}${path}`, method: 'GET' as const }
    const { statusCode, body } = await unread.request({ ...url, headers: { ...as, ...NETWORK } })
    // A refusal is read to its end; what is sent stays unread until the connection is closed.
    if (statusCode !== 200) await body.text()
    else await new Promise((resolve) => body.once('close', resolve).once('error', resolve))
    return statusCode
  }
  // The service or the end of the proof closes what is not read: counted as status 0.
  const failed = () => 0
  const exporting = askWithoutEnd(exports, () =>
    open(exporter, '/audit-events/export').catch(failed),
  )
  const streaming = askWithoutEnd(STREAMS, () => open(streamer, '/limits/events').catch(failed))
  const all = [inviting, reading, exporting, streaming]
  return {
    answers: () => countsOf(all),
    async [Symbol.asyncDispose]() {
      for (const asking of all) asking.stop()
      await unread.destroy()
      await Promise.all(all.map(({ ended }) => ended))
      await client[Symbol.asyncDispose]()
    },
  }
}
