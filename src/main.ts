#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { findNodeProblem } from './cli/check-node.ts'

const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
const { engines } = JSON.parse(manifest) as { readonly engines: { readonly node: string } }
const problem = findNodeProblem(process.versions.node, engines.node)
if (problem === undefined) await run()
else {
  process.exitCode = 1
  // A warning about types in our files would be a second line.
  process.removeAllListeners('warning')
  console.error(problem)
}

/** Imported here and not above: an old Node.js would fail while it loads these modules. */
async function run(): Promise<void> {
  const { createProgram } = await import('./cli/program.ts')
  const { reportError } = await import('./cli/report-error.ts')
  try {
    await createProgram().parseAsync()
  } catch (error) {
    // At once: a process that cannot listen has connected to its stores before, and would go on.
    process.exit(await reportError(error))
  }
}
