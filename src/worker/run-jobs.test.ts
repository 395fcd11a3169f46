import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '../lib/log.ts'
import { runJobs } from './run-jobs.ts'

function recordLog() {
  const messages: string[] = []
  const note = ({ operation }: { operation?: string }, message: string) =>
    void messages.push(`${operation} ${message}`)
  const log: Log = { debug: note, info: note, warn: note, error: note }
  return { messages, log }
}

test('a job with more work runs again immediately and never overlaps itself', async () => {
  const stopping = new AbortController()
  let [runs, active] = [0, 0]
  const job = {
    name: 'busy',
    pauseMs: 3_600_000,
    async run() {
      active += 1
      assert.equal(active, 1)
      await new Promise(setImmediate)
      active -= 1
      runs += 1
      if (runs === 5) stopping.abort()
      return true
    },
  }
  await runJobs([job], stopping.signal, { log: recordLog().log })
  assert.equal(runs, 5)
})

test('a failed job is reported and retried, without delaying other jobs', async () => {
  const stopping = new AbortController()
  const { messages, log } = recordLog()
  const errors: string[] = []
  let [attempts, others] = [0, 0]
  const failing = {
    name: 'failing',
    pauseMs: 0,
    run() {
      attempts += 1
      if (attempts < 3) return Promise.reject(new Error('unavailable'))
      stopping.abort()
      return Promise.resolve(false)
    },
  }
  const other = {
    name: 'other',
    pauseMs: 10,
    run() {
      others += 1
      return Promise.resolve(false)
    },
  }
  await runJobs([failing, other], stopping.signal, { log, onError: (job) => errors.push(job) })
  assert.deepEqual(errors, ['failing', 'failing'])
  const failed = 'failing job failed'
  assert.deepEqual(messages, [failed, failed, 'failing job recovered'])
  assert.ok(others > 2)
})

test('the signal ends a pause immediately', async () => {
  const stopping = new AbortController()
  const job = {
    name: 'resting',
    pauseMs: 3_600_000,
    run() {
      setImmediate(() => stopping.abort())
      return Promise.resolve(false)
    },
  }
  await runJobs([job], stopping.signal, { log: recordLog().log })
})
