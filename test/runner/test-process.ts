// A process that runs test files one after another. The runner sends the path of a file, this
// process sends the results back. It is the program of the process and its reporter at once.
import { enableCompileCache } from 'node:module'
import { suite } from 'node:test'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { COMPILE_CACHE } from '../harness/processes/compile-cache.ts'

export type FileToRun = { readonly path: string; readonly limitMs: number }
export type NoMoreFiles = 'no more files'

export type FromTestProcess =
  | { readonly type: 'began' | 'passed'; readonly test: string }
  | { readonly type: 'failed'; readonly test: string; readonly reason: string }
  /** `reusable`: nothing of the file is left in the process, so another one may run in it. */
  | { readonly type: 'end'; readonly reusable: boolean }

/** The parts of node:test's events that are read here. */
type TestEvent = { readonly type: string; readonly data: EventData }
type EventData = {
  readonly name: string
  readonly nesting: number
  readonly message?: string
  readonly skip?: string | boolean
  readonly todo?: string | boolean
  readonly details?: {
    readonly type?: string
    readonly error?: Error & { readonly failureType?: string }
  }
}

/** Sockets and child processes that a test has closed need a moment to be gone. */
const SETTLE_MS = 250
const LOOK_AGAIN_MS = 5

enableCompileCache(COMPILE_CACHE.NODE_COMPILE_CACHE)

const atStart = readGlobals()
let resourcesAtStart = 0
let isRunning = false

process.on('message', (next: FileToRun | NoMoreFiles) => {
  if (next === 'no more files') {
    process.disconnect()
    return
  }
  const { path, limitMs } = next
  if (resourcesAtStart === 0) resourcesAtStart = process.getActiveResourcesInfo().length
  isRunning = true
  // The suite gives the file hooks of its own and turns an error at import into a failure.
  suite(path, { timeout: limitMs }, async () => void (await import(pathToFileURL(path).href)))
})

// A runner that was killed needs no results.
process.once('disconnect', () => {
  if (isRunning) process.exit(1)
})

// oxlint-disable-next-line import/no-default-export -- node:test reads it
export default async function* sendResults(
  events: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  const names: string[] = []
  let results = 0
  for await (const { type, data } of events) {
    if (type === 'test:diagnostic' && process.exitCode !== undefined) yield `${data.message}\n`
    if (type !== 'test:dequeue' && type !== 'test:pass' && type !== 'test:fail') continue
    names.length = data.nesting
    names.push(data.name)
    const isFile = data.nesting === 0
    const test = isFile ? 'the file itself' : names.slice(1).join(' › ')
    if (type === 'test:dequeue') {
      send({ type: 'began', test })
      continue
    }
    const result = judge(type, data, test)
    if (result !== null) {
      send(result)
      results += 1
    }
    if (!isFile) continue
    if (results === 0) send({ type: 'failed', test, reason: 'contains no test' })
    results = 0
    isRunning = false
    send({ type: 'end', reusable: await isReusable() })
  }
}

/** A skipped or to-do test counts as failed: a test that does not run shows nothing. */
function judge(type: string, data: EventData, test: string): FromTestProcess | null {
  const { details = {} } = data
  const skipped = (data.skip ?? false) !== false || (data.todo ?? false) !== false
  if (skipped) return { type: 'failed', test, reason: 'skipped or to do' }
  if (type === 'test:fail') {
    const { error } = details
    // The parent of a failed test fails with it; that is the same failure, not another one.
    if (error?.failureType === 'subtestsFailed') return null
    return { type: 'failed', test, reason: inspect(error?.cause ?? error) }
  }
  return details.type === 'suite' ? null : { type: 'passed', test }
}

function send(message: FromTestProcess): void {
  if (process.connected) process.send?.(message)
}

/**
 * Whether another file would find the process as this one did: the globals that tests change, no
 * error after the end of a test, which sets the exit code, and nothing that is still running.
 */
async function isReusable(): Promise<boolean> {
  const now = readGlobals()
  if (now.length !== atStart.length || now.some((value, at) => value !== atStart[at])) return false
  if (!(await settles())) return false
  return process.exitCode === undefined
}

async function settles(): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const endMs = performance.now() + SETTLE_MS
  const look = () => {
    if (process.getActiveResourcesInfo().length <= resourcesAtStart) resolve(true)
    else if (performance.now() > endMs) resolve(false)
  }
  const timer = setInterval(look, LOOK_AGAIN_MS)
  // A timer without a reference is not one of the resources that are counted.
  timer.unref()
  look()
  try {
    return await promise
  } finally {
    clearInterval(timer)
  }
}

function readGlobals(): unknown[] {
  const environment = Object.entries(process.env).map(([name, value]) => `${name}=${value}`)
  const functions = [
    ...['setTimeout', 'setInterval', 'setImmediate', 'Date', 'fetch'].map(memberOf(globalThis)),
    ...['parse', 'stringify'].map(memberOf(JSON)),
    ...['log', 'warn', 'error'].map(memberOf(console)),
    ...['exit', 'cwd', 'kill'].map(memberOf(process)),
    ...[process.stdout, process.stderr].map((stream) => memberOf(stream)('write')),
    memberOf(performance)('now'),
  ]
  return [...environment.toSorted(), process.cwd(), ...functions]
}

function memberOf(object: object): (name: string) => unknown {
  return (name) => Reflect.get(object, name) as unknown
}
