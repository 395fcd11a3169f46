import { OperatorError } from '../lib/operator-error.ts'

const EXIT_CODE = 1

/** Prints one line for an error that the operator can fix, and a stack trace for a bug. */
export async function reportError(error: unknown): Promise<number> {
  if (!(error instanceof Error)) {
    console.error('headrace: unexpected error:', error)
    return EXIT_CODE
  }
  // ConfigError has its own exit code, so that a supervisor does not restart the process.
  if ('exitCode' in error && typeof error.exitCode === 'number') {
    console.error(error.message.trimEnd())
    return error.exitCode
  }
  if (error instanceof OperatorError) {
    console.error(`headrace: ${error.message}`)
    return EXIT_CODE
  }
  const { isUnavailable, isNotMigrated } = await import('../store/postgres/postgres.ts')
  if (isUnavailable(error)) {
    console.error(`headrace: PostgreSQL is unavailable: ${reasonOf(error)}`)
  } else if (isNotMigrated(error)) {
    console.error('headrace: the database is not migrated: run headrace migrate')
  } else console.error('headrace: unexpected error:', error)
  return EXIT_CODE
}

function reasonOf(error: Error): string {
  if (error.message !== '') return error.message
  return 'code' in error ? String(error.code) : error.name
}
