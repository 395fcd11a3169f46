// The process behind `forkEngines`: runs a script's answers on real listeners.
import {
  startFakeEngine,
  type Answer,
  type CountPrompt,
  type FakeEngine,
  type Page,
} from './server.ts'
import type { Report } from './forked.ts'

/** What a script gets for each engine that it plays. */
export type ScriptContext = {
  readonly engine: number
  readonly options: Readonly<Record<string, unknown>>
  readonly report: (report: Report) => void
  /** Dies as a killed process does, and reports it. */
  readonly die: (cause?: string) => void
  /** Calls back for every message sent to the engines that is not an order to die or revive. */
  readonly onMessage: (callback: (message: Readonly<Record<string, unknown>>) => void) => void
}

type Script = {
  readonly createAnswer: (context: ScriptContext) => Answer
  readonly countPrompt?: CountPrompt
  /** What one of the engines answers to a GET. */
  readonly pageOf?: (engine: number) => Page
}

const [script = '', count = '1', options = '{}'] = process.argv.slice(2)
const { createAnswer, countPrompt, pageOf } = (await import(script)) as Script
const engines: FakeEngine[] = []
const callbacks: ((message: Readonly<Record<string, unknown>>) => void)[] = []

function report(message: Report): void {
  process.send?.(message)
}

function die(engine: number, cause = ''): void {
  engines[engine]?.die()
  report({ report: 'died', engine, cause })
}

for (let engine = 0; engine < Number(count); engine += 1) {
  const answer = createAnswer({
    engine,
    options: JSON.parse(options) as Record<string, unknown>,
    report,
    die: (cause) => die(engine, cause),
    onMessage: (callback) => void callbacks.push(callback),
  })
  const started = await startFakeEngine(answer, {
    promptTokens: countPrompt,
    page: pageOf?.(engine),
  })
  engines[engine] = started
  report({ report: 'listening', engine, port: started.port })
}

process.on('message', (message: Readonly<Record<string, unknown>>) => {
  const engine = message['engine'] as number
  if (message['order'] === 'kill') die(engine)
  else if (message['order'] === 'revive') {
    void engines[engine]?.revive().then(() => {
      report({ report: 'listening', engine, port: engines[engine]?.port })
    })
  } else for (const callback of callbacks) callback(message)
})
process.on('disconnect', () => process.exit(0))
