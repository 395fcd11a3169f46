import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Report, Work } from './engine-process.ts'

/** An engine of which is known, to the token, what it made for each request. */
export type CountingEngine = AsyncDisposable & {
  readonly url: string
  /** Resolves when the engine has made as many tokens as it was to make before it waits. */
  holding(prompt: number): Promise<void>
  /** Resolves to the tokens that it made, once its connection is closed. */
  ended(prompt: number): Promise<number>
  /** Tokens made so far by generations that have ended; undefined if none was asked for. */
  generated(prompt: number): number | undefined
}

/** The text of every token that it makes. */
export const TOKEN = 't '

const PROGRAM = new URL('engine-process.ts', import.meta.url)

export async function startCountingEngine(): Promise<CountingEngine> {
  const child = fork(PROGRAM)
  const opened = Promise.withResolvers<number>()
  const made = new Map<number, number>()
  const holding = createMoments<void>()
  const ended = createMoments<number>()
  child.on('message', (message) => {
    const told = message as Report
    if (told.report === 'open') opened.resolve(told.port)
    else if (told.report === 'holding') holding.of(told.prompt).resolve()
    else {
      made.set(told.prompt, (made.get(told.prompt) ?? 0) + told.generated)
      ended.of(told.prompt).resolve(told.generated)
    }
  })
  child.once('exit', () => opened.reject(new Error('the counting engine ended')))
  const port = await opened.promise
  return {
    url: `http://127.0.0.1:${port}`,
    holding: (prompt) => holding.of(prompt).promise,
    ended: (prompt) => ended.of(prompt).promise,
    generated: (prompt) => made.get(prompt),
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}

/** Something that happens once for each request, whether it is asked for before or after. */
function createMoments<T>() {
  const moments = new Map<number, PromiseWithResolvers<T>>()
  return {
    of(prompt: number): PromiseWithResolvers<T> {
      const known = moments.get(prompt) ?? Promise.withResolvers<T>()
      moments.set(prompt, known)
      return known
    },
  }
}

/** A request that tells the engine what to make. */
export function requestOf(model: string, work: Work, stream: boolean): object {
  const tool = { type: 'function', function: { name: 'note', parameters: { type: 'object' } } }
  return {
    model,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    ...(work.calls ? { tools: [tool] } : {}),
    messages: [{ role: 'user', content: JSON.stringify(work) }],
  }
}
