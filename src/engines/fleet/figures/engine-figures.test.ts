import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngineFigures } from './engine-figures.ts'

function createClock() {
  let nowMs = 0
  return { now: () => nowMs, pass: (ms: number) => void (nowMs += ms) }
}

const counts = (promptTokens: number, cachedTokens: number, completionTokens: number) => ({
  promptTokens,
  cachedTokens,
  completionTokens,
  reasoningTokens: 0,
})

test('an engine that has not generated yet has no figures', () => {
  assert.deepEqual(createEngineFigures().view(), {
    first_token_ms: null,
    tokens_per_second: null,
    prefill_tokens_per_second: null,
    cached_share: null,
    excess_tokens: 0,
  })
})

test('prefill is measured until the first token, output after it, without cached tokens', () => {
  const clock = createClock()
  const figures = createEngineFigures(clock.now)
  const timer = figures.start()
  clock.pass(500)
  timer.progressed()
  clock.pass(1_000)
  timer.progressed()
  clock.pass(1_000)
  timer.succeeded(counts(1_200, 200, 101))
  assert.deepEqual(figures.view(), {
    first_token_ms: 500,
    tokens_per_second: 50,
    prefill_tokens_per_second: 2_000,
    cached_share: 200 / 1_200,
    excess_tokens: 0,
  })
})

test('the averages follow the recent generations, whatever came before', () => {
  const clock = createClock()
  const figures = createEngineFigures(clock.now)
  const run = (firstMs: number, cached: number) => {
    const timer = figures.start()
    clock.pass(firstMs)
    timer.progressed()
    clock.pass(1_000)
    timer.succeeded(counts(1_000, cached, 11))
  }
  for (let each = 0; each < 1_000; each += 1) run(100, 0)
  for (let each = 0; each < 100; each += 1) run(300, 900)
  const { first_token_ms: first, cached_share: cached } = figures.view()
  assert.ok(Math.abs((first ?? 0) - 300) < 3, `${first}`)
  assert.ok(Math.abs((cached ?? 0) - 0.9) < 0.01, `${cached}`)
})

test('short prompts, short outputs and failures say nothing of the speed', () => {
  const clock = createClock()
  const figures = createEngineFigures(clock.now)
  const short = figures.start()
  clock.pass(10)
  short.progressed()
  short.succeeded(counts(63, 0, 2))
  // Failed before its first token.
  figures.start().succeeded(undefined)
  const view = figures.view()
  assert.deepEqual([view.first_token_ms, view.cached_share], [10, 0])
  assert.deepEqual([view.tokens_per_second, view.prefill_tokens_per_second], [null, null])
})

test('tokens beyond the bounds of requests are summed up, and reported once a minute', () => {
  const clock = createClock()
  const figures = createEngineFigures(clock.now)
  const isNew = [figures.exceeded(5).isNew, figures.exceeded(7).isNew]
  clock.pass(60_000)
  assert.deepEqual([...isNew, figures.exceeded(1).isNew], [true, false, true])
  assert.equal(figures.view().excess_tokens, 13)
})
