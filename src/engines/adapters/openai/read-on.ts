import { EngineError, type StopSignal } from '../engine.ts'
import type { PieceBatch } from '../piece.ts'

/** The default of `total_seconds`: no generation should take longer. */
const READ_ON_MS_MAX = 1_800_000

type Batches = AsyncIterable<PieceBatch>

/**
 * Runs a generation on an engine that goes on when its client leaves. It is then read to its end,
 * without its reader, so that it is known how long the engine is occupied. A generation that the
 * engine itself failed or that timed out is left at once.
 */
export async function readOn(
  start: (signal: StopSignal) => Promise<Batches>,
  signal: StopSignal,
  engine: string,
  onLeft: ((ended: Promise<void>) => void) | undefined,
): Promise<Batches> {
  if (signal.aborted) throw signal.reason
  const ending = new AbortController()
  const left = Promise.withResolvers<never>()
  const ended = Promise.withResolvers<void>()
  // Each read races against it; without a read nobody would handle it.
  left.promise.catch(() => undefined)
  const listener = {
    handleEvent() {
      signal.removeEventListener('abort', listener)
      if (signal.reason instanceof EngineError) ending.abort(signal.reason)
      else {
        const late = new EngineError('transport', engine, 'the generation did not end')
        const timer = setTimeout(() => ending.abort(late), READ_ON_MS_MAX).unref()
        onLeft?.(ended.promise.finally(() => clearTimeout(timer)))
      }
      left.reject(signal.reason)
    },
  }
  signal.addEventListener('abort', listener)
  const reading = start(ending.signal).then((batches) => batches[Symbol.asyncIterator]())
  const isLeft = () => signal.aborted
  const onEnded = () => {
    signal.removeEventListener('abort', listener)
    ended.resolve()
  }
  try {
    const iterator = await Promise.race([reading, left.promise])
    return { [Symbol.asyncIterator]: () => passOn(iterator, left.promise, isLeft, onEnded) }
  } catch (error) {
    // Nothing goes on if it could not be started.
    void reading.then(skip, () => undefined).finally(onEnded)
    throw error
  }
}

async function* passOn(
  iterator: AsyncIterator<PieceBatch>,
  left: Promise<never>,
  isLeft: () => boolean,
  onEnded: () => void,
): AsyncGenerator<PieceBatch, void, void> {
  let next: Promise<IteratorResult<PieceBatch>> | undefined
  try {
    for (;;) {
      next = iterator.next()
      const { done, value } = await Promise.race([next, left])
      next = undefined
      if (done === true) return
      yield value
    }
  } finally {
    if (isLeft())
      void Promise.resolve(next)
        .then(() => skip(iterator))
        .catch(() => undefined)
        .finally(onEnded)
    else {
      await iterator.return?.()
      onEnded()
    }
  }
}

async function skip(iterator: AsyncIterator<PieceBatch>): Promise<void> {
  while ((await iterator.next()).done !== true);
}
