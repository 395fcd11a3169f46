import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import { createDatabase, urlForProcess } from '../harness/servers/database.ts'
import { leaveWork } from '../harness/processes/leave-work.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { NO_PROVIDER, withPayments } from '../harness/payments/payment-settings.ts'
import { testConfig } from '../harness/processes/service.ts'
import { startValkey } from '../harness/servers/valkey.ts'
import type { Log } from '../../src/lib/log.ts'
import { WORKER_GRANTS } from '../../src/store/postgres/grant-roles.ts'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { TASKS } from '../../src/worker/run-jobs.ts'
import { serveWorker } from '../../src/start/serve-worker.ts'

// A worker with the role that `headrace migrate` gives it finds work for every job that uses
// PostgreSQL. Tests beside the jobs run them with this role too.

const TIMEOUT_MS = 60_000

const database = await createDatabase()
const valkey = await startValkey()
const owner = openPostgres(database.url, { queryTimeoutMs: TIMEOUT_MS })

endWithFile(owner, valkey, database)

test('every job of the worker does its work with the role of the worker', async () => {
  const failures: object[] = []
  const quiet = () => {}
  const error = (fields: object, message: string) => {
    if (message === 'job failed') failures.push(fields)
  }
  const log: Log = { debug: quiet, info: quiet, warn: quiet, error }
  const changed = testConfig(urlForProcess(database.url, 'worker'), (given) => ({
    ...given,
    engines: [],
    models: [],
    valkey_urls: [valkey.url],
    ledger: { ...given.ledger, records_days: 30, transfers_days: 400 },
    plans: { default: { ...given.plans['default']!, billing: 'prepaid' } },
    worker: { ...given.worker, health_port: 0, reconcile_seconds: 1 },
  }))
  const config = withPayments(changed, NO_PROVIDER)
  const work = await leaveWork(owner, valkey.url, config.currency)
  const worker = await serveWorker(config, log)
  try {
    for (const [job, isDone] of Object.entries(work))
      await waitUntil(
        `the work of ${job}; failures: ${JSON.stringify(failures)}`,
        isDone,
        TIMEOUT_MS,
      )
  } finally {
    await worker.stop()
  }
  // A lock that took too long is no failure of the role: the job ran again.
  assert.doesNotMatch(JSON.stringify(failures), /permission denied|must be owner/)
})

test('rights of the worker are listed by its jobs', () => {
  const others = Object.keys(WORKER_GRANTS).filter((job) => !TASKS.some((task) => task === job))
  // What it does before its jobs, and the command that runs beside it.
  assert.deepEqual(others, ['start', 'doctor'])
})
