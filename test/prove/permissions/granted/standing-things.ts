import { sql } from 'kysely'
import { ask, PUBLIC_URL } from '../../../harness/processes/console.ts'
import { fillAuditLog } from '../../../harness/seed/fill-audit-log.ts'
import { scimRootOf, SCIM_HEADERS } from '../../../harness/servers/scim.ts'
import { PASSWORD } from '../../../harness/clients/sign-in.ts'
import { THINGS } from '../../../harness/routes/things.ts'
import { askIn, must, type Scene } from './scene.ts'
import { givenBy, type Given, type Made, type Thing } from './thing.ts'

const ROLES = ['admin', 'member', 'viewer'] as const

/** Longer than the service takes to look at the rights of a stream again, which is 10 s. */
const STREAM_MS = 16_000

/** What stays open, or was set up for the organization. */
export const STANDING_THINGS: readonly Thing[] = [
  { name: 'event stream', keptBy: ROLES, slow: true, make: openStream },
  { name: 'export of the audit log', keptBy: [], make: openExport },
  {
    name: 'link to a new password',
    keptBy: ['admin'],
    make: makeLink,
  },
  {
    name: 'SCIM token',
    keptBy: ROLES,
    outlives: 'maker',
    async make(scene) {
      const body = { name: 'Provider' }
      const made = await must(askIn(scene, scene.maker, 'POST', './scim-tokens', { body }))
      const as = { authorization: `Bearer ${String(made.body['token'])}` }
      const root = scimRootOf(scene.console_.root)
      const headers = SCIM_HEADERS
      return { use: async () => givenBy(await ask(root, 'GET', '/Users', { as, headers })) }
    },
  },
  {
    name: 'SCIM token on the management API',
    keptBy: [],
    async make(scene) {
      const body = { name: 'Provider' }
      const made = await must(askIn(scene, scene.maker, 'POST', './scim-tokens', { body }))
      const as = { authorization: `Bearer ${String(made.body['token'])}` }
      return {
        before: () => Promise.resolve({ gives: true, said: 'never worked' }),
        use: async () => givenBy(await askIn(scene, { as }, 'GET', './members')),
      }
    },
  },
  {
    name: 'consent for support',
    keptBy: ROLES,
    outlives: 'maker',
    async make(scene) {
      await must(askIn(scene, scene.maker, 'POST', './support-access', { body: { hours: 1 } }))
      const support = await scene.console_.openPerson({ platformRole: 'support' })
      return { use: async () => givenBy(await askIn(scene, support, 'GET', './keys')) }
    },
  },
  {
    name: 'link to a request',
    keptBy: ['admin', 'member'],
    async make(scene) {
      const { console_, maker, organizationId, projectId } = scene
      const place = { organizationId, projectId, ownerId: maker.accountId }
      const make = THINGS['requests']!
      const id = await make(console_.postgres.database, place, maker.accountId)
      const body = {}
      const made = await must(askIn(scene, maker, 'POST', `./requests/${id}/links`, { body }))
      const token = String(made.body['link']).split('#token=')[1]
      const anyone = { as: { origin: PUBLIC_URL } }
      const open = () => askIn(scene, anyone, 'POST', '/request-links/open', { body: { token } })
      return { use: async () => givenBy(await open()) }
    },
  },
  stored('audit stream', 'audit_streams', (scene) =>
    askIn(scene, scene.maker, 'PUT', './audit-stream', { body: { url: 'https://siem.example/' } }),
  ),
  stored('spending alert', 'spending_alerts', (scene) =>
    askIn(scene, scene.maker, 'PUT', './spending-alerts', {
      body: { thresholds: ['80'], emails: [scene.maker.email] },
    }),
  ),
  stored('billing contact', 'billing_contacts', (scene) =>
    askIn(scene, scene.maker, 'PUT', './billing-contacts', {
      body: { emails: [scene.maker.email] },
    }),
  ),
]

/** It belongs to the organization, like its name: it goes on, and every owner sees it. */
function stored(
  name: string,
  table: 'audit_streams' | 'spending_alerts' | 'billing_contacts',
  set: (scene: Scene) => ReturnType<typeof askIn>,
): Thing {
  return {
    name,
    keptBy: ROLES,
    outlives: 'maker',
    async make(scene) {
      await must(set(scene))
      const { database } = scene.console_.postgres
      return {
        async use() {
          const { rows } = await sql`
            select from ${sql.table(table)} where organization_id = ${scene.organizationId}
          `.execute(database)
          return { gives: rows.length > 0, said: `${rows.length} rows` }
        },
      }
    },
  }
}

async function openStream(scene: Scene): Promise<Made> {
  const { console_, organizationId, maker } = scene
  const url = `${console_.root}/organizations/${organizationId}/limits/events`
  const ending = new AbortController()
  const response = await fetch(url, { headers: { ...maker.as }, signal: ending.signal })
  const opened = { gives: response.status === 200, said: `${response.status}` }
  return {
    before: () => Promise.resolve(opened),
    async use() {
      const timer = setTimeout(() => ending.abort(), STREAM_MS)
      const ended = await readToEnd(response)
      clearTimeout(timer)
      return { gives: !ended, said: ended ? 'ended' : `open after ${STREAM_MS} ms` }
    },
  }
}

/** Whether it ended in order, not by somebody who broke it off. */
async function readToEnd(response: Response): Promise<boolean> {
  try {
    for await (const _ of response.body ?? []);
    return true
  } catch {
    return false
  }
}

async function openExport(scene: Scene): Promise<Made> {
  const { console_, organizationId, maker } = scene
  await fillAuditLog(scene.console_.postgres.database, scene.organizationId)
  const url = `${console_.root}/organizations/${organizationId}/audit-events/export`
  const response = await fetch(url, { headers: { ...maker.as } })
  const begun: Given = { gives: response.status === 200, said: `${response.status}` }
  return {
    before: () => Promise.resolve(begun),
    async use() {
      const complete = await readToEnd(response)
      return { gives: complete, said: complete ? 'was sent as a whole' : 'was broken off' }
    },
  }
}

/** Made by an operator for the maker, as without email. */
async function makeLink(scene: Scene): Promise<Made> {
  const { maker, operator } = scene
  const path = `/operator/accounts/${maker.accountId}/reset-link`
  const made = await must(askIn(scene, operator, 'POST', path, { body: {} }))
  const token = String(made.body['link']).split('#token=')[1]
  const post = (to: string, body: object) =>
    askIn(scene, { as: { origin: PUBLIC_URL } }, 'POST', to, { body })
  return {
    before: () => Promise.resolve({ gives: token !== undefined, said: made.text }),
    async use() {
      await post('/password-resets/complete', { token, password: PASSWORD })
      const signedIn = await post('/sessions', { email: maker.email, password: PASSWORD })
      const cookie = signedIn.cookies.map((value) => value.split(';')[0]).join('; ')
      const as = { cookie, origin: PUBLIC_URL }
      return givenBy(await askIn(scene, { as }, 'GET', './retention'))
    },
  }
}
