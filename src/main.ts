#!/usr/bin/env node
import { createProgram } from './cli/program.ts'
import { reportError } from './cli/report-error.ts'

try {
  await createProgram().parseAsync()
} catch (error) {
  // At once: a process that cannot listen has connected to its stores before, and would go on.
  process.exit(await reportError(error))
}
