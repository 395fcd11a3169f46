import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { findFreePort } from '../../harness/processes/console-process.ts'
import { DEMO_MODEL } from '../../harness/environment.ts'
import { startRealEngine, type RealEngine } from '../../harness/engines/real-engine.ts'
import { openWeb, signIn, type Web } from '../../harness/browser/web.ts'
import { openKey } from '../../harness/seed/tenants.ts'
import { startPostgres, type PostgresServer } from '../../harness/servers/postgres-server.ts'
import { startValkey, type ValkeyServer } from '../../harness/servers/valkey.ts'
import type { Person } from '../../harness/processes/console.ts'
import { seed, type Seeded } from '../accessibility/seed.ts'

/** The service on servers of its own, each of which can be away. */
export type World = AsyncDisposable & {
  readonly web: Web
  readonly postgres: PostgresServer
  readonly valkey: ValkeyServer
  readonly engine: RealEngine
  readonly seeded: Seeded
  readonly organizationId: string
  openPage(person: Person): Promise<Page>
  /** A request to the model, whatever comes of it. */
  askModel(): Promise<void>
}

const SLOTS = 4
/** The longest name that is allowed, in the widest letter. */
const WIDE = 'W'.repeat(96)
const ARABIC = 'مفتاح الإنتاج للبحث في المستندات القديمة والجديدة'

export async function openWorld(): Promise<World> {
  await using starting = new AsyncDisposableStack()
  const postgres = starting.use(await startPostgres())
  const valkey = starting.use(await startValkey())
  const engine = starting.use(await startRealEngine(SLOTS))
  const healthPort = await findFreePort()
  const web = starting.use(
    await openWeb({
      databaseUrl: postgres.url,
      valkey: [valkey.url],
      engines: [{ name: 'local', ...engine.settings }],
      models: [{ id: DEMO_MODEL, engines: ['local'] }],
      environment: { HEADRACE_API_HEALTH_PORT: String(healthPort) },
      console: { api_health_urls: [`http://127.0.0.1:${healthPort}`] },
      worker: true,
      // Processes say what is away.
      onLog: () => {},
    }),
  )
  const seeded = await seed(web)
  const { id } = await web.environment.postgres.database
    .selectFrom('organizations')
    .select('id')
    .where('slug', '=', seeded.places.slug)
    .executeTakeFirstOrThrow()
  const key = await openKey(web.environment.postgres.database, seeded.places.project)
  const running = starting.move()
  return {
    web,
    postgres,
    valkey,
    engine,
    seeded,
    organizationId: id,
    async openPage(person) {
      const page = await web.openPage({ reducedMotion: 'reduce' })
      await signIn(page, web, person)
      return page
    },
    async askModel() {
      await fetch(`${web.apiRoot}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key.text}` },
        body: JSON.stringify({ model: DEMO_MODEL, messages: [{ role: 'user', content: 'Hi' }] }),
      }).then((answer) => answer.text())
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

let renames = 0

/** Everything has another name from now on: as long as it may be, or written from the right. */
export async function renameAll({ web }: World): Promise<void> {
  const { database } = web.environment.postgres
  renames += 1
  const name = `${renames % 2 === 0 ? ARABIC : WIDE} ${renames}`
  await sql`update organizations set name = ${name}`.execute(database)
  await sql`update projects set name = ${name}`.execute(database)
  await sql`update api_keys set name = ${name} where name not like 'key %'`.execute(database)
  await sql`update accounts set name = ${name}`.execute(database)
}
