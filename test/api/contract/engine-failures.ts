import assert from 'node:assert/strict'
import { readStream, type Answer } from '../client.ts'
import { scriptedModel, type ScriptName } from '../../harness/fake-engine/scripts.ts'
import { expectError, expectRetryAfter, requestWith, type Rule, rules } from './rule.ts'

/** More than the slots of a scripted engine and its queue together. */
const CROWD = 16

const REJECTED = 'upstream_credentials_rejected'
const BUSY = 'infrastructure_rate_limit_exceeded'

/** Failures before the engine's first token: an error status, streamed or not. */
const EARLY: readonly (readonly [ScriptName, code: string | null])[] = [
  ['rejects-key', REJECTED],
  ['forbids-key', REJECTED],
  ['busy', BUSY],
  ['throttles', BUSY],
  ['fails', null],
  ['refuses-request', null],
  ['sends-garbage', null],
  ['sends-page', null],
  ['resets-first', null],
  ['closes-first', null],
  ['ends-empty', null],
  ['errs-first', null],
  ['never-ends-event', null],
]

/** Failures after it: an error event without the end marker; a JSON answer is still a status. */
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

/** Every way in which a scripted engine fails. */
export const FAILING_SCRIPTS: readonly ScriptName[] = [...EARLY.map(([script]) => script), ...LATE]

function expectIncomplete(answer: Answer): void {
  assert.equal(answer.status, 200)
  const { chunks, errors, done } = readStream(answer)
  assert.ok(chunks.length > 0)
  assert.equal(done, false, 'no end marker')
  assert.equal(errors.length, 1)
  const { message, ...shown } = errors[0]!
  assert.ok(message)
  assert.deepEqual(shown, { type: 'upstream_unavailable_error', param: null, code: null })
  assert.ok(!answer.text.includes('SECRET'))
}

function earlyRules([script, code]: (typeof EARLY)[number]): Rule[] {
  return [false, true].map((stream) => ({
    id: `engine/${script}-${stream ? 'stream' : 'json'}`,
    name: `an engine that ${script} at once is a status, ${stream ? 'streamed' : 'not streamed'}`,
    async check(api) {
      const answer = await api.chat({ model: scriptedModel(script), stream })
      expectError(answer, code, null)
      if (answer.status === 503) expectRetryAfter(answer)
    },
  }))
}

function lateRules(script: ScriptName): Rule[] {
  const model = scriptedModel(script)
  return rules('engine', {
    [`${script}-stream: an engine that ${script} is an error event, no end marker`]: async (api) =>
      expectIncomplete(await api.chat({ model, stream: true })),
    [`${script}-json: an engine that ${script} is a 502 when the answer is JSON`]: async (api) =>
      expectError(await api.chat({ model }), null, null),
  })
}

export const ENGINE_FAILURES: readonly Rule[] = [
  ...EARLY.flatMap(earlyRules),
  ...LATE.flatMap(lateRules),
  ...rules('engine', {
    'no-slot: no free slot is infrastructure_rate_limit_exceeded': async ({ service }) => {
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
      const { status, headers, text } = await Promise.race(crowd).then(async (first) => ({
        status: first.status,
        headers: Object.fromEntries(first.headers),
        text: await first.text(),
      }))
      left.abort()
      await Promise.allSettled(crowd)
      const answer = { status, headers, text, broken: false }
      expectError(answer, BUSY, null)
      expectRetryAfter(answer)
    },
  }),
]
