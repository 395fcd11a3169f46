/** Runs every client against the service and its engine: `npm test -- [FOLDER…]`. */
import { globSync } from 'node:fs'
import { report, runTests, type Tally } from '../runner/run-tests.ts'
import { startService } from '../harness/processes/service.ts'
import { bringUpStack } from '../harness/servers/stack.ts'
import { startControlServer } from './control-server.ts'
import { installPython } from './openai-python/install.ts'
import { addPlans } from './plans.ts'

/** For two cores, which the service, its engine and its stores share. */
const FILES_AT_ONCE = 2
/** The slowest test waits a few seconds for a rate limit; SDKs may wait half a minute to retry. */
const TEST_LIMIT_MS = 60_000
const FILE_LIMIT_MS = 200_000
const END_LIMIT_MS = 30_000

async function main(folders: readonly string[]): Promise<number> {
  if (!(await bringUpStack())) throw new Error('this machine cannot run the servers')
  await installPython()
  const cwd = import.meta.dirname
  const patterns = folders.length === 0 ? ['*'] : folders
  const files = patterns.flatMap((folder) => globSync(`${folder}/*.test.ts`, { cwd })).toSorted()
  if (files.length === 0) throw new Error('there is no test to run')
  await using service = await startService(addPlans)
  await using control = await startControlServer(service)
  const tally: Tally = { passed: 0, failures: [] }
  const limits = {
    testLimitMs: TEST_LIMIT_MS,
    fileLimitMs: FILE_LIMIT_MS,
    endLimitMs: END_LIMIT_MS,
  }
  const options = { cwd, argv: [control.url], filesAtOnce: FILES_AT_ONCE, ...limits }
  await runTests(files, options, tally)
  return report(tally)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  console.log('\n0 passed, 1 failed')
  process.exitCode = 1
}
