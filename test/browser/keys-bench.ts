// What the walks of keys, overview and limits stand on: the service, an engine that does what a
// prompt says, and organizations with people.
import type { Page } from 'playwright-core'
import { createPartitions, dayOf } from '../../src/store/postgres/partitions.ts'
import type { Person } from '../harness/processes/console.ts'
import { startStreamEngines, type StreamEngines } from '../harness/fake-engine/stream-engines.ts'
import { modelOn } from '../harness/environment.ts'
import { openOrganization } from '../harness/seed/tenants.ts'
import { openWeb, signIn, type Web } from '../harness/browser/web.ts'

export type Tenant = {
  readonly slug: string
  readonly organizationId: string
  readonly projectId: string
  readonly owner: Person
}

export type KeysBench = AsyncDisposable & {
  readonly web: Web
  readonly engines: StreamEngines
  openTenant(): Promise<Tenant>
  /** A page of somebody who is signed in. */
  openPage(person: Person, colorScheme?: 'light' | 'dark'): Promise<Page>
  /** The status of a small request with this key, and with these parameters. */
  ask(key: string, parameters?: object): Promise<number>
}

export const MODEL = modelOn('held')
const PLAN = 'team'
const LIMITS = {
  requests_per_minute: 120,
  requests_per_day: 10_000,
  tokens_per_minute: 60_000,
  tokens_per_day: 10_000_000,
}

export async function openKeysBench(): Promise<KeysBench> {
  await using starting = new AsyncDisposableStack()
  const engines = starting.use(await startStreamEngines(1))
  const web = starting.use(
    await openWeb({
      engines: [{ name: 'held', url: engines.urls[0]! }],
      plans: { [PLAN]: { models: 'all', limits: LIMITS } },
    }),
  )
  const { database } = web.environment.postgres
  // Made first: a change meets them being made by the worker of a new database as a failure.
  const today = dayOf(Date.now())
  await createPartitions(web.environment.postgres.pool, 'audit_events', today, today)
  await web.environment.startWorker()
  const running = starting.move()
  return {
    web,
    engines,
    async openTenant() {
      const { id, projectId } = await openOrganization(database, PLAN)
      const owner = await web.openPerson({ organizationId: id, role: 'owner' })
      const { slug } = await database
        .selectFrom('organizations')
        .select('slug')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return { slug, organizationId: id, projectId, owner }
    },
    async openPage(person, colorScheme = 'light') {
      const page = await web.openPage({
        colorScheme,
        reducedMotion: 'reduce',
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      await signIn(page, web, person)
      return page
    },
    async ask(key, parameters = {}) {
      const content = JSON.stringify({ id: crypto.randomUUID(), mode: 'quick' })
      const answer = await fetch(`${web.apiRoot}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: MODEL,
          messages: [{ role: 'user', content }],
          ...parameters,
        }),
      })
      await answer.text()
      return answer.status
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
