import { readFileSync } from 'node:fs'
import { traceError, type Log } from '../lib/log.ts'

const EXIT_CODE = 1

/**
 * Keeps client content out of crash output: Node would print the message of an uncaught error,
 * which can quote a request. Also warns about machine settings that write memory to disk on a
 * crash, since a program cannot change them.
 */
export function guardMemory(log: Log): void {
  const exit = (error: unknown) => {
    log.error({ error: traceError(error) }, 'uncaught exception, exiting')
    process.exit(EXIT_CODE)
  }
  process.on('uncaughtException', exit)
  process.on('unhandledRejection', exit)
  // The text of a warning may quote a request.
  process.removeAllListeners('warning')
  process.on('warning', (warning) => log.warn({ error: traceError(warning) }, 'Node.js warning'))
  if (dumpsCore()) log.warn({}, 'core dumps are enabled and would contain content: set ulimit -c 0')
  const { report } = process
  if (report.reportOnFatalError || report.reportOnSignal || report.reportOnUncaughtException)
    log.warn({}, 'diagnostic reports are enabled and may contain content: remove --report options')
}

/** False where the limit cannot be read, as outside Linux. */
function dumpsCore(): boolean {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return !/^Max core file size +0 /m.test(limits)
  } catch {
    return false
  }
}
