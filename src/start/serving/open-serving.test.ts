import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, MINIMAL, write } from '../../../test/harness/processes/configuration.ts'
import { keepLines } from '../../../test/harness/lines.ts'
import type { Call } from '../../http/call.ts'
import { createEngineConnector } from '../connect-engines.ts'
import { openServing } from './open-serving.ts'

const CALL = {} as Call

test('a reload that fails while it is built changes nothing', async (t) => {
  const groups = ['before', 'after'].map((name) => write(`${name}.json`, '[]'))
  const configOf = (name: string, file: string | undefined) =>
    load(
      MINIMAL.replace(
        "url: 'http://127.0.0.1:8000'",
        `discover: { file: { path: '${file}' } }`,
      ).replaceAll('one', name),
    )
  const [before, after] = [configOf('before', groups[0]), configOf('after', groups[1])]
  const changed: string[] = []
  const serving = await openServing(before, {
    readVocabularies: () => new Map(),
    connector: createEngineConnector(before),
    fleet: { update: (engines) => void changed.push(`fleet of ${[...engines.keys()].join()}`) },
    capabilities: undefined,
    handlerFor: (config) => {
      if (config === after) throw new Error('not buildable')
      return () => Promise.resolve()
    },
    log: keepLines().log,
  })
  t.after(() => serving.discovery.close())
  const atFirst = [...changed]
  await assert.rejects(serving.apply(after), /not buildable/)
  await serving.handle(CALL)
  assert.deepEqual(changed, atFirst)
  assert.deepEqual(Object.keys(serving.discovery.states()), ['before'])
})
