import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Config } from '../../src/config/load.ts'
import { serveWorker } from '../../src/start/serve-worker.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import type { PayingConsole } from '../harness/payments/paying-console.ts'
import {
  awaitState,
  chargesOf,
  openLowSaver,
  startTopUpConsole,
} from '../harness/payments/top-ups.ts'
import { urlForProcess } from '../harness/servers/database.ts'

const TIMEOUT_MS = 60_000

let console_: PayingConsole

before(async () => {
  console_ = await startTopUpConsole()
})
after(async () => console_[Symbol.asyncDispose]())

/** As the worker of the console reads it. */
function configWith(billing: 'prepaid' | 'postpaid'): Config {
  const { config, databaseUrl } = console_
  return {
    ...config,
    engines: [],
    database_url: urlForProcess(databaseUrl, 'worker'),
    worker: { ...config.worker, health_port: 0 },
    plans: { ...config.plans, ample: { ...config.plans['ample']!, billing } },
  }
}

test('a plan that a reload makes prepaid is topped up without a restart', async () => {
  const saver = await openLowSaver(console_)
  const worker = await serveWorker(configWith('postpaid'))
  try {
    const metrics = async () => (await fetch(`${worker.healthAddress}/metrics`)).text()
    const leads = async () => /^headrace_worker_leader 1$/m.test(await metrics())
    await waitUntil('the worker to lead', leads, TIMEOUT_MS)
    await worker.reload(() => configWith('prepaid'))
    const charges = () => chargesOf(console_, saver.organization.id)
    await waitUntil('a charge', async () => (await charges()).length > 0, TIMEOUT_MS)
    const [charge, ...more] = await charges()
    await awaitState(console_, charge, 'succeeded')
    assert.deepEqual(more, [])
  } finally {
    await worker.stop()
  }
})
