import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeCapabilities } from './check-engines.ts'

const engine = { name: 'main', kind: 'vllm', url: 'http://127.0.0.1:1' } as const

function judge(engines: Record<string, null> | undefined) {
  const status = {} as never
  const report = { url: 'http://127.0.0.1:2', status, ready: true, engines }
  return judgeCapabilities([], engine as never, [report])
}

test('an engine that an api process is just probing is told from one that nobody probes', () => {
  assert.match(judge({ main: null }).found, /is probing it/)
  assert.match(judge({}).found, /no api process has probed it/)
  assert.match(judge(undefined).found, /no api process has probed it/)
})
