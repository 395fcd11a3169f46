import { OperatorError } from '../lib/operator-error.ts'

const EXIT_CODE = 1

/** Prints one line for an error that the operator can fix, and everything for a bug of ours. */
export async function reportError(error: unknown): Promise<number> {
  if (!(error instanceof Error)) {
    console.error('headrace: unexpected error:', error)
    return EXIT_CODE
  }
  // A configuration error has its own exit code, which tells supervisors not to restart.
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
