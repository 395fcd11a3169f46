import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '../lib/log.ts'
import { runJobs } from './run-jobs.ts'

function listen() {
  const said: string[] = []
  const note = ({ operation }: { operation?: string }, message: string) =>
    void said.push(`${operation} ${message}`)
  const log: Log = { debug: note, info: note, warn: note, error: note }
  return { said, log }
}

test('a job that has more to do runs again at once, and never beside itself', async () => {
  const stopping = new AbortController()
  let [runs, beside] = [0, 0]
  const job = {
    name: 'busy',
    restMs: 3_600_000,
    async run() {
      beside += 1
      assert.equal(beside, 1)
      await new Promise(setImmediate)
      beside -= 1
      runs += 1
      if (runs === 5) stopping.abort()
      return true
    },
  }
  await runJobs([job], stopping.signal, { log: listen().log })
  assert.equal(runs, 5)
})

test('a job that fails is reported and tried again, and holds up no other', async () => {
  const stopping = new AbortController()
  const { said, log } = listen()
  const errors: string[] = []
  let [attempts, others] = [0, 0]
  const failing = {
    name: 'failing',
    restMs: 0,
    run() {
      attempts += 1
      if (attempts < 3) return Promise.reject(new Error('away'))
      stopping.abort()
      return Promise.resolve(false)
    },
  }
  const other = {
    name: 'other',
    restMs: 10,
    run() {
      others += 1
      return Promise.resolve(false)
    },
  }
  await runJobs([failing, other], stopping.signal, { log, onError: (job) => errors.push(job) })
  assert.deepEqual(errors, ['failing', 'failing'])
  const failed = 'failing job failed'
  assert.deepEqual(said, [failed, failed, 'failing job recovered'])
  assert.ok(others > 2)
})

test('a job that rests ends at once when it is told to stop', async () => {
  const stopping = new AbortController()
  const job = {
    name: 'resting',
    restMs: 3_600_000,
    run() {
      setImmediate(() => stopping.abort())
      return Promise.resolve(false)
    },
  }
  await runJobs([job], stopping.signal, { log: listen().log })
})
