import assert from 'node:assert/strict'
import { readStream, type Answer } from '../../api/client.ts'
import { scriptedModel, type ScriptName } from '../../harness/fake-engine/scripts.ts'
import { expectError, requestWith, type Rule } from './rule.ts'

/** More than the slots of a scripted engine and all that may wait for them. */
const CROWD = 16

const FAILED = [null, null] as const
const BUSY = ['infrastructure_rate_limit_exceeded', null] as const

/** Faults before the engine's first piece: a status in both forms. */
const EARLY: readonly (readonly [ScriptName, readonly [string | null, string | null]])[] = [
  ['rejects-key', ['upstream_credentials_rejected', null]],
  ['forbids-key', ['upstream_credentials_rejected', null]],
  ['busy', BUSY],
  ['throttles', BUSY],
  ['fails', FAILED],
  ['refuses-request', FAILED],
  ['sends-garbage', FAILED],
  ['sends-page', FAILED],
  ['resets-first', FAILED],
  ['closes-first', FAILED],
  ['ends-empty', FAILED],
  ['errs-first', FAILED],
  ['never-ends-event', FAILED],
]

/** Faults after it: an error event without the end marker, and in the JSON form still a status. */
const LATE: readonly ScriptName[] = [
  'errs-later',
  'garbles-later',
  'cuts-stream',
  'ends-early',
  'ends-after-finish',
  'marks-without-finish',
  'talks-after-finish',
  'aborts',
]

function expectIncomplete(answer: Answer): void {
  assert.equal(answer.status, 200)
  const { chunks, errors, done } = readStream(answer)
  assert.ok(chunks.length > 0)
  assert.equal(done, false, 'no end marker')
  assert.equal(errors.length, 1)
  const [error] = errors
  assert.deepEqual(Object.keys(error ?? {}).toSorted(), ['code', 'message', 'param', 'type'])
  assert.deepEqual([error?.type, error?.code], ['upstream_unavailable_error', null])
  assert.ok(!answer.text.includes('SECRET'))
}

function earlyRule(script: ScriptName, outcome: readonly [string | null, string | null]): Rule[] {
  return [false, true].map((stream) => ({
    id: `engine/${script}-${stream ? 'stream' : 'json'}`,
    name: `an engine that ${script} at once is a status, ${stream ? 'streamed' : 'not streamed'}`,
    async check({ client }) {
      const answer = await client.chat(requestWith({ model: scriptedModel(script), stream }))
      expectError(answer, ...outcome)
      if (answer.status === 503) assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/)
    },
  }))
}

function lateRule(script: ScriptName): Rule[] {
  const model = scriptedModel(script)
  return [
    {
      id: `engine/${script}-stream`,
      name: `an engine that ${script} is an error event without an end marker`,
      async check({ client }) {
        expectIncomplete(await client.chat(requestWith({ model, stream: true })))
      },
    },
    {
      id: `engine/${script}-json`,
      name: `an engine that ${script} is a 502 when the answer is JSON`,
      async check({ client }) {
        expectError(await client.chat(requestWith({ model })), null, null)
      },
    },
  ]
}

export const ENGINE_FAULTS: readonly Rule[] = [
  ...EARLY.flatMap(([script, outcome]) => earlyRule(script, outcome)),
  ...LATE.flatMap(lateRule),
  {
    id: 'engine/no-slot',
    name: 'no free slot is infrastructure_rate_limit_exceeded with Retry-After',
    async check({ service }) {
      const { key } = await service.createCaller()
      const left = new AbortController()
      const crowd = Array.from({ length: CROWD }, () =>
        fetch(`${service.apiRoot}/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(requestWith({ model: scriptedModel('says-nothing') })),
          signal: left.signal,
        }),
      )
      const first = await Promise.race(crowd)
      const headers = Object.fromEntries(first.headers)
      const text = await first.text()
      left.abort()
      await Promise.allSettled(crowd)
      expectError({ status: first.status, headers, text, broken: false }, ...BUSY)
      assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
    },
  },
]
