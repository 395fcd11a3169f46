/** Runs every client against the service and its engine: `npm test -- [FOLDER…]`. */
import { globSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { run } from 'node:test'
import { inspect } from 'node:util'
import { startService } from '../harness/service.ts'
import { bringUpStack } from '../run.ts'
import { startControlServer } from './control-server.ts'
import { installPython } from './openai-python/install.ts'
import { addPlans } from './plans.ts'

/** For two cores, which the service, its engine and its stores share. */
const FILES_AT_ONCE = 2
/** The slowest test waits a few seconds for a rate limit; SDKs may wait half a minute to retry. */
const TEST_LIMIT_MS = 60_000
/** Ends test files whose tests are done but whose client keeps a timer running. */
const RUN_LIMIT_MS = 200_000

/** Clients log errors that tests provoke, so output is printed only for files that failed. */
const OUTPUT_CHARACTERS_MAX = 8_000

type Tally = { passed: number; failed: number; readonly failedFiles: Set<string> }
type RunEvent = { readonly type: string; readonly data: EventData }
type EventData = {
  readonly name: string
  readonly nesting: number
  readonly file?: string
  readonly message?: string
  readonly skip?: string | boolean
  readonly todo?: string | boolean
  readonly details: {
    readonly type?: string
    readonly error?: Error & { readonly failureType?: string }
  }
}

async function main(folders: readonly string[]): Promise<number> {
  if (!(await bringUpStack())) throw new Error('this machine cannot run the servers')
  await installPython()
  const patterns = folders.length === 0 ? ['*'] : folders
  const files = patterns.flatMap((folder) =>
    globSync(`${folder}/*.test.ts`, { cwd: import.meta.dirname }),
  )
  if (files.length === 0) throw new Error('no test files found')
  await using service = await startService(addPlans)
  await using control = await startControlServer(service)
  const tally: Tally = { passed: 0, failed: 0, failedFiles: new Set() }
  const printed = new Map<string, string>()
  const names: string[] = []
  const stream = run({
    files: files.toSorted(),
    cwd: import.meta.dirname,
    argv: [control.url],
    concurrency: FILES_AT_ONCE,
    timeout: TEST_LIMIT_MS,
    signal: AbortSignal.timeout(RUN_LIMIT_MS),
  })
  for await (const { type, data } of stream as AsyncIterable<RunEvent>) {
    const { file = '', message = '' } = data
    if (type === 'test:stderr' || type === 'test:stdout') {
      printed.set(file, ((printed.get(file) ?? '') + message).slice(-OUTPUT_CHARACTERS_MAX))
    } else if (type === 'test:start' || type === 'test:pass' || type === 'test:fail') {
      names.length = data.nesting
      names.push(data.name)
      if (type !== 'test:start') count(type, data, names.join(' › '), tally)
    }
  }
  for (const file of tally.failedFiles.intersection(printed)) {
    console.log(
      `\nOutput of ${relative(import.meta.dirname, file)}:\n${printed.get(file) ?? ''}`,
    )
  }
  console.log(`\n${tally.passed} passed, ${tally.failed} failed`)
  return tally.failed === 0 && tally.passed > 0 ? 0 : 1
}

/** Skipped and to-do tests count as failed, because they prove nothing. */
function count(type: string, event: EventData, title: string, tally: Tally): void {
  const { name, file = '', skip, todo, details } = event
  const isFile = event.nesting === 0 && resolve(import.meta.dirname, name) === file
  const skipped = (skip ?? false) !== false || (todo ?? false) !== false
  if (type === 'test:pass' && !skipped && !isFile) {
    if (details.type === 'test') tally.passed += 1
    return
  }
  const { error } = details
  // The parent of a failed test fails too; count the failure once.
  if (error?.failureType === 'subtestsFailed') return
  tally.failed += 1
  tally.failedFiles.add(file)
  const why = skipped ? 'was skipped or is a to-do' : 'contains no test'
  const reason = type === 'test:fail' ? inspect(error?.cause ?? error) : why
  console.log(`\nFAILED ${relative(import.meta.dirname, file)}\n${title}\n${reason}`)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  console.log('\n0 passed, 1 failed')
  process.exitCode = 1
}
