import { openPostgres, type Postgres } from '../../../src/store/postgres/postgres.ts'
import { readBacklog } from '../../../src/store/usage/usage-stream.ts'
import { organizationKeys } from '../../../src/store/valkey/keys.ts'
import { type Valkey } from '../../../src/store/valkey/valkey.ts'
import { createDatabase } from '../../harness/database.ts'
import { connectValkey, startValkey } from '../../harness/valkey.ts'
import { waitUntil } from '../../harness/measure.ts'
import { startApiVictim, startWorkerVictim } from './processes.ts'
import { openCustomer, writeSettings, type Customer, type EngineSetting } from './world.ts'

const TIMEOUT_MS = 120_000

/** An api and a worker on an engine, with a customer whose use they count. */
export type Metered = AsyncDisposable & {
  readonly postgres: Postgres
  readonly valkey: Valkey
  readonly customer: Customer
  readonly target: { readonly apiRoot: string; readonly key: string }
  /** What the last checkpoints of the customer's open requests say. */
  readProgress(): Promise<readonly string[]>
  /** Resolves when nothing is open and everything is in the ledger. */
  settled(): Promise<void>
}

export async function startMetered(
  engines: readonly EngineSetting[],
  sections: object = {},
): Promise<Metered> {
  await using starting = new AsyncDisposableStack()
  const database = starting.use(await createDatabase())
  const server = starting.use(await startValkey())
  const settings = { worker: { health_port: 0, poll_seconds: 0.1 }, ...sections }
  const { file } = starting.use(await writeSettings(engines, settings))
  const postgres = starting.use(openPostgres(database.url))
  const customer = await openCustomer(postgres)
  const valkey = starting.use(await connectValkey([server.url]))
  const onDeath = () => {
    throw new Error('a process ended by itself')
  }
  const processes = { databaseUrl: database.url, valkeyUrls: [server.url], file, onDeath }
  const api = starting.use(await startApiVictim(processes))
  starting.use(await startWorkerVictim(processes))
  const { progress } = organizationKeys(customer.organizationId)
  const running = starting.move()
  return {
    postgres,
    valkey,
    customer,
    target: { apiRoot: api.apiRoot ?? '', key: customer.key },
    readProgress: async () => (await valkey.call('HVALS', [progress])) as string[],
    settled: () => settled(valkey),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Everything that is open is closed, and everything that is closed is in the ledger. */
export async function settled(valkey: Valkey): Promise<void> {
  const tookMs = await waitUntil(async () => {
    const { records, open } = await readBacklog(valkey)
    return records === 0 && open === 0
  }, TIMEOUT_MS)
  if (tookMs === Infinity) throw new Error('records were left open, or in the log')
}
