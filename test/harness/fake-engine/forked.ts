import { fork } from 'node:child_process'
import { once } from 'node:events'

/** What a script in the forked process reports, as it defines it. */
export type Report = { readonly report: string; readonly [field: string]: unknown }

/** Fake engines in a process of their own, so that their work delays neither client nor api. */
export type ForkedEngines = AsyncDisposable & {
  readonly urls: readonly string[]
  /** Sends a message to the script's `receive`. */
  send(message: object): void
  /** Kills the listener and connections of one engine; resolves when that is done. */
  kill(engine: number): Promise<void>
  revive(engine: number): Promise<void>
  isDead(engine: number): boolean
  /** Checks the condition after every report. Throws at the timeout, like `waitUntil`. */
  until(what: string, condition: () => boolean, timeoutMs: number): Promise<void>
}

const PROGRAM = new URL('forked-process.ts', import.meta.url)
const START_TIMEOUT_MS = 20_000

/**
 * Starts `count` engines that run a script: a module that exports `createAnswer(context)`. See
 * `forked-process.ts` for what a script gets. `options` are handed to it as they are.
 */
export async function forkEngines(
  script: URL,
  count: number,
  onReport: (report: Report) => void = () => undefined,
  options: object = {},
): Promise<ForkedEngines> {
  const child = fork(PROGRAM, [script.href, String(count), JSON.stringify(options)])
  const ports: number[] = []
  const dead = new Set<number>()
  const listeners = new Set<() => void>()
  child.on('message', (message) => {
    const report = message as Report
    const engine = report['engine'] as number
    if (report.report === 'listening') ports[engine] = report['port'] as number
    if (report.report === 'listening') dead.delete(engine)
    if (report.report === 'died') dead.add(engine)
    onReport(report)
    for (const look of listeners) look()
  })
  const until = async (what: string, condition: () => boolean, timeoutMs: number) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const look = () => {
      if (condition()) resolve()
    }
    const giveUp = () => reject(new Error(`waited ${timeoutMs / 1000} s for ${what}`))
    const timeout = setTimeout(giveUp, timeoutMs)
    listeners.add(look)
    look()
    try {
      await promise
    } finally {
      clearTimeout(timeout)
      listeners.delete(look)
    }
  }
  const send = (message: object) => void child.send(message)
  const areListening = () => ports.filter(Boolean).length === count
  await until('the fake engines to listen', areListening, START_TIMEOUT_MS)
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    send,
    async kill(engine) {
      send({ order: 'kill', engine })
      await until(`engine ${engine} to die`, () => dead.has(engine), START_TIMEOUT_MS)
    },
    async revive(engine) {
      send({ order: 'revive', engine })
      await until(`engine ${engine} to listen again`, () => !dead.has(engine), START_TIMEOUT_MS)
    },
    isDead: (engine) => dead.has(engine),
    until,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
