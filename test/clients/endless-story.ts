import assert from 'node:assert/strict'
import { findGeneration, takeTokenLimit } from './control-client.ts'

export const STORY = 'Write a long story.'

/** Rewarding repetition keeps the model from ending before its limit. */
export const STORY_PENALTY = -1

/** How long the engine may take to start, and to stop after the client disconnected. */
const TIMEOUT_MS = 5_000

/** An engine that is not stopped reaches nearly its whole limit; a stopped one about a tenth. */
const SHARE_MAX = 0.75

/**
 * Lets a client disconnect in the middle of a story that would go on until its token limit, and
 * asserts that the engine was busy before and stopped long before the limit. `abort` starts the
 * story, waits for the first chunks, calls `seen`, and then disconnects.
 */
export async function assertStopsOnAbort(
  abort: (tokenLimit: number, seen: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const tokenLimit = await takeTokenLimit()
  let wasBusy = false
  await abort(tokenLimit, async () => {
    wasBusy = await waitUntil(tokenLimit, ({ busy }) => busy)
  })
  assert.ok(wasBusy, 'the engine was never busy')
  let tokensLast = 0
  const isIdle = await waitUntil(tokenLimit, ({ busy, tokens }) => {
    tokensLast = Math.max(tokensLast, tokens)
    return !busy
  })
  assert.ok(isIdle, 'the engine is still busy after the client disconnected')
  assert.ok(tokensLast < tokenLimit * SHARE_MAX, `the engine went on to ${tokensLast} tokens`)
}

/** Polls the engine; a response takes as long as a few tokens. */
async function waitUntil(
  tokenLimit: number,
  condition: (generation: { busy: boolean; tokens: number }) => boolean,
): Promise<boolean> {
  const deadline = performance.now() + TIMEOUT_MS
  while (performance.now() < deadline) {
    if (condition(await findGeneration(tokenLimit))) return true
  }
  return false
}
