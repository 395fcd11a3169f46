const EXIT_CODE_FAULT = 1

/**
 * Faults whose message says all that the operator needs. They are told by name, so that no module
 * is loaded for it.
 */
const PLAIN_FAULTS = new Set(['CommandFault', 'ChangeRefused', 'MigrationError'])

/**
 * One plain line for what the operator can mend, everything for what only we can. Returns the exit
 * code.
 */
export async function reportFault(error: unknown): Promise<number> {
  if (!(error instanceof Error)) {
    console.error('headrace: unexpected fault:', error)
    return EXIT_CODE_FAULT
  }
  // A configuration fault carries the exit code that tells supervisors not to restart.
  if ('exitCode' in error && typeof error.exitCode === 'number') {
    console.error(error.message.trimEnd())
    return error.exitCode
  }
  if (PLAIN_FAULTS.has(error.name)) {
    console.error(`headrace: ${error.message}`)
    return EXIT_CODE_FAULT
  }
  const { isAway, isNotMigrated } = await import('../store/postgres/postgres.ts')
  if (isAway(error)) console.error(`headrace: PostgreSQL cannot be reached: ${reasonOf(error)}`)
  else if (isNotMigrated(error)) {
    console.error('headrace: the database lacks a table or column: run headrace migrate')
  } else console.error('headrace: unexpected fault:', error)
  return EXIT_CODE_FAULT
}

function reasonOf(error: Error): string {
  if (error.message !== '') return error.message
  return 'code' in error ? String(error.code) : error.name
}
